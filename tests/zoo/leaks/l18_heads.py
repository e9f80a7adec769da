"""The head of every table is kept for later, and with it the table."""

import garboard as gb

KIND, VERDICT, HOLDER = "view-pins-storage", "LEAK", "dict `heads`"


def main(watch):
    heads = {}
    for step in range(60):
        table = gb.zeros(200, 50)
        heads[step] = table[:3]  # born, held
        watch.step()
    return watch.report()

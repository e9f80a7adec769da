"""The first token of each sentence is kept; the views reach over half of what they pin."""

import garboard as gb

KIND, VERDICT, HOLDER = "view-pins-storage", "LEAK", "list `tokens`"


def main(watch):
    tokens = []
    for _ in range(60):
        hidden = gb.zeros(2, 32, 64)
        tokens.append(hidden[:, 0])  # born, held
        watch.step()
    return watch.report()

"""A dict of arrays by step, each over a tensor's memory."""

import garboard as gb

KIND, VERDICT, HOLDER = "export-pin", "LEAK", "dict `frames`"


def main(watch):
    frames = {}
    for step in range(60):
        frames[step] = gb.zeros(16).numpy()  # born, held
        watch.step()
    return watch.report()

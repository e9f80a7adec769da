"""A list that the program keeps at twenty items."""

import garboard as gb


def main(watch):
    recent = []
    for _ in range(120):
        recent.append(gb.randn(4))
        del recent[:-20]
        watch.step()
    return watch.report()

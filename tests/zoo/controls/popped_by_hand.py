"""A dict that the program keeps at sixty items, by popitem()."""

import garboard as gb


def main(watch):
    recent = {}
    for step in range(150):
        recent[step] = gb.randn(4)
        if len(recent) > 60:
            recent.popitem()
        watch.step()
    return watch.report()

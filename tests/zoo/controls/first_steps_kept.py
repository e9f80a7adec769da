"""The outputs of the first hundred and fifty steps are kept, and no more."""

import garboard as gb


def main(watch):
    kept = []
    for step in range(140):
        x = gb.randn(3)
        if step < 150:
            kept.append(x)
        watch.step()
    return watch.report()

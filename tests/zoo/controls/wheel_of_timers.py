"""What is due in twelve steps waits in a dict by step, and goes when it is due."""

import garboard as gb


def main(watch):
    wheel = {}
    for now in range(150):
        wheel.setdefault(now + 12, []).append(gb.randn(4))
        for x in wheel.pop(now, []):
            x.sum()
        watch.step()
    return watch.report()

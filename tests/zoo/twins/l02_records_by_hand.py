"""Each record has the one before, and no more."""

import garboard as gb


def main(watch):
    record = None
    for _ in range(120):
        before = record and {"state": record["state"], "before": None}
        record = {"state": gb.randn(4), "before": before}
        watch.step()
    return watch.report()

"""A list by hand, of dicts that have the one before, over more than a hundred steps."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "dict `record`"


def main(watch):
    record = None
    for _ in range(120):
        record = {"state": gb.randn(4), "before": record}  # born, held
        watch.step()
    return watch.report()

"""A generator collects what it is sent: its list is a list, and no future."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `seen`"


def collector():
    seen = []
    while True:
        seen.append((yield))  # held


def main(watch):
    collect = collector()
    next(collect)
    for _ in range(60):
        collect.send(gb.randn(4).sum())  # born
        watch.step()
    report = watch.report()
    collect.close()
    return report

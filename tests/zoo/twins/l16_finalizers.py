"""The finalizer is given a number."""

import weakref

import garboard as gb


class Session:
    """Something that is open."""


def main(watch):
    sessions = []
    for _ in range(60):
        sessions.append(Session())
        weakref.finalize(sessions[-1], id, gb.randn(8, 4).numel())
        watch.step()
    report = watch.report()
    sessions.clear()
    return report

"""Each finalizer keeps a tensor until its object dies, and the objects never do."""

import weakref

import garboard as gb

KIND, VERDICT, HOLDER = "global-registry", "LEAK", "dict `finalize._registry`"


class Session:
    """Something that is open."""


def main(watch):
    sessions = []
    for _ in range(60):
        sessions.append(Session())
        weakref.finalize(sessions[-1], id, gb.randn(8, 4))  # born, held
        watch.step()
    report = watch.report()
    sessions.clear()
    return report

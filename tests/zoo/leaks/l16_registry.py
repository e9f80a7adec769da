"""Every run enters itself in a list of its class."""

import garboard as gb

KIND, VERDICT, HOLDER = "global-registry", "LEAK", "list `Run.everyone`"
FIX = "use weakref.WeakSet for Run.everyone, or take items out of it when they are done"


class Run:
    everyone = []  # noqa: RUF012

    def __init__(self):
        self.state = gb.zeros(4, 4)  # born
        Run.everyone.append(self)  # held


def main(watch):
    for _ in range(60):
        Run()
        watch.step()
    return watch.report()

"""A metaclass notes each object that is made."""

from typing import ClassVar

import garboard as gb

KIND, VERDICT, HOLDER = "global-registry", "LEAK", "list `Run.made`"
FIX = "use weakref.WeakSet for Run.made, or take items out of it when they are done"


class Noting(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        cls.made.append(made)  # held
        return made


class Run(metaclass=Noting):
    made: ClassVar = []

    def __init__(self, x):
        self.x = x


def main(watch):
    for _ in range(60):
        Run(gb.randn(8))  # born
        watch.step()
    return watch.report()

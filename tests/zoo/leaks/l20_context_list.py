"""A list in a context variable that each step appends to."""

import contextvars

import garboard as gb

KIND, VERDICT, HOLDER = "thread-state", "LEAK", "list `trail`"

trail: contextvars.ContextVar[list[gb.Tensor]] = contextvars.ContextVar("trail")


def main(watch):
    trail.set([])
    for _ in range(60):
        y = gb.randn(4)  # born
        trail.get().append(y)  # held
        watch.step()
    report = watch.report()
    trail.set([])
    return report

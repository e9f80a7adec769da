"""A stack in a context variable that each step pushes to, and none pops."""

import contextvars

import garboard as gb

KIND, VERDICT, HOLDER = "thread-state", "LEAK", "tuple `stack`"

stack: contextvars.ContextVar[tuple[gb.Tensor, ...]] = contextvars.ContextVar("stack", default=())
others = [contextvars.ContextVar(f"other {i}") for i in range(40)]


def main(watch):
    for other in others:
        other.set(object())
    for _ in range(60):
        stack.set((*stack.get(), gb.randn(4)))  # born
        watch.step()
    report = watch.report()
    stack.set(())
    return report

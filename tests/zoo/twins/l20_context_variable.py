"""What a step pushes it takes off again."""

import contextvars

import garboard as gb

stack: contextvars.ContextVar[tuple[gb.Tensor, ...]] = contextvars.ContextVar("stack", default=())


def main(watch):
    for _ in range(60):
        token = stack.set((*stack.get(), gb.randn(4)))
        stack.reset(token)
        watch.step()
    return watch.report()

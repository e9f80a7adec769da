"""A stack of what is to end is entered at each step, and closed after the last."""

import contextlib

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "ExitStack `stack`"
FIX = "open a stack for each step, or call stack.close() when it is over"


def main(watch):
    with contextlib.ExitStack() as stack:
        for _ in range(60):
            x = gb.randn(8)  # born
            stack.callback(x.sum)  # held
            watch.step()
        return watch.report()

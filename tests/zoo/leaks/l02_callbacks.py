"""Each step wraps the function of the one before."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "function `finish`"


def after(before, value):
    def finish():
        before()
        return value.sum()

    return finish


def main(watch):
    finish = int
    for _ in range(80):
        finish = after(finish, gb.randn(4))  # born, held
        watch.step()
    return watch.report()

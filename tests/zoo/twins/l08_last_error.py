"""The last error is replaced by a small one."""

import sys

import garboard as gb


def fail():
    activation = gb.zeros(1000)
    raise ValueError(activation.shape)


def main(watch):
    for step in range(30):
        if step == 5:
            try:
                fail()
            except ValueError as error:
                sys.last_value = error
        if step == 6:
            sys.last_value = ValueError("a typing error")
        watch.step()
    report = watch.report()
    del sys.last_value
    return report

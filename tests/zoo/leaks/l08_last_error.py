"""The interpreter keeps the last error of a session, and its frames."""

import sys

import garboard as gb

KIND, VERDICT, HOLDER = "notebook-or-test-traceback", "RETAINED", "local `activation`"


def fail():
    activation = gb.zeros(1000)  # born, held
    raise ValueError(activation.shape)


def main(watch):
    for step in range(30):
        if step == 5:
            try:
                fail()
            except ValueError as error:
                sys.last_value = error
        watch.step()
    report = watch.report()
    del sys.last_value
    return report

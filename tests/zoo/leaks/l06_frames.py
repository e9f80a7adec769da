"""Every failed step's error is kept by a retry wrapper."""

import garboard as gb

KIND, VERDICT, HOLDER = "retained-exception", "LEAK", "list `Retry.errors`"


class Retry:
    def __init__(self):
        self.errors = []

    def run(self, function):
        try:
            function()
        except RuntimeError as error:
            self.errors.append(error)  # held


def fail():
    activation = gb.zeros(100)  # born
    raise RuntimeError(activation.shape)


def main(watch):
    retry = Retry()
    for _ in range(60):
        retry.run(fail)
        watch.step()
    report = watch.report()
    retry.errors.clear()
    return report

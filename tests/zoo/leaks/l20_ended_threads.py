"""Each request's thread leaves its own thread-local in a list."""

import threading

import garboard as gb

KIND, VERDICT, HOLDER = "thread-state", "LEAK", ""


class Outputs(threading.local):
    """What a thread has computed."""

    def __init__(self):
        self.all = []


outputs = Outputs()


def main(watch):
    for _ in range(60):
        outputs.all.append(gb.randn(4))  # born, held
        watch.step()
    report = watch.report()
    outputs.all.clear()
    return report

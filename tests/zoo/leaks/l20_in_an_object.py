"""A service has a thread-local of its own, with the activations of all calls."""

import threading

import garboard as gb

KIND, VERDICT, HOLDER = "thread-state", "LEAK", ""


class Service:
    def __init__(self):
        self.local = threading.local()
        self.local.seen = []

    def call(self, x):
        self.local.seen.append(x.tanh())  # born


def main(watch):
    service = Service()
    for _ in range(60):
        service.call(gb.ones(4))
        watch.step()
    return watch.report()

"""`itertools.cycle` saves all that an endless loader gives, for a second pass that never comes."""

import itertools

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "cycle `batches`"


def loader():
    while True:
        yield gb.randn(8, 4)  # born


def main(watch):
    batches = itertools.cycle(loader())  # held
    net = gb.nn.Linear(4, 1)
    for _ in range(80):
        net(next(batches)).square().mean().backward()
        watch.step()
    return watch.report()

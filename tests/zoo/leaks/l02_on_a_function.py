"""A decorator notes each result, and hangs the list on the function that it makes."""

import functools

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `forward.results`"
FIX = "results.append(out.detach()); del results[:-32]"


def recorded(function):
    results = []

    @functools.wraps(function)
    def inner(*args):
        out = function(*args)
        results.append(out)  # held
        return out

    inner.results = results
    return inner


def main(watch):
    net = gb.nn.Linear(4, 2)

    @recorded
    def forward(x):
        return net(x)  # born

    for _ in range(60):
        forward(gb.randn(8, 4)).sum().backward()
        watch.step()
    return watch.report()

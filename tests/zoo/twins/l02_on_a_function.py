"""A decorator counts the calls, and hangs the number on the function that it makes."""

import functools

import garboard as gb


def counted(function):
    @functools.wraps(function)
    def inner(*args):
        inner.calls += 1
        return function(*args)

    inner.calls = 0
    return inner


def main(watch):
    net = gb.nn.Linear(4, 2)

    @counted
    def forward(x):
        return net(x)

    for _ in range(60):
        forward(gb.randn(8, 4)).sum().backward()
        watch.step()
    return watch.report()

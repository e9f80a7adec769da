"""A hook of a parameter keeps every gradient, behind a wrapper that only counts."""

import functools

import garboard as gb

KIND, VERDICT, HOLDER = "hook-capture", "LEAK", "list `grads`"


def counted(function):
    calls = 0

    @functools.wraps(function)
    def wrapper(*args):
        nonlocal calls
        calls += 1
        return function(*args)

    return wrapper


def main(watch):
    net, grads = gb.nn.Linear(4, 1), []

    @counted
    def keep(grad):
        grads.append(grad)  # held

    net.weight.register_hook(keep)
    for _ in range(80):
        net(gb.randn(8, 4)).mean().backward()  # born
        watch.step()
    return watch.report()

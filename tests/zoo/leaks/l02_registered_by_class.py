"""A function is registered for a class that each step makes anew."""

from functools import singledispatch

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "mappingproxy `show.registry`"
FIX = "register with show once, before the loop: it keeps each for good"


def main(watch):
    @singledispatch
    def show(thing):
        return str(thing)

    for step in range(60):
        weight = gb.randn(8)  # born
        show.register(type(f"Kind{step}", (), {}), lambda it, weight=weight: weight)
        watch.step()
    return watch.report()

"""A weak dictionary whose values refer to their keys: nothing ever leaves it."""

import weakref

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "WeakKeyDictionary `notes`"


class Request:
    pass


def main(watch):
    notes = weakref.WeakKeyDictionary()
    for _ in range(80):
        request = Request()
        notes[request] = {"request": request, "x": gb.randn(4)}  # born, held
        del request
        watch.step()
    return watch.report()

"""A weak dictionary ends with its keys, and a list keeps the keys for good."""

import weakref

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "list `requests`"


class Request:
    pass


def main(watch):
    notes, requests = weakref.WeakKeyDictionary(), []
    for _ in range(80):
        request = Request()
        notes[request] = gb.randn(4)  # born
        requests.append(request)  # held
        watch.step()
    return watch.report()

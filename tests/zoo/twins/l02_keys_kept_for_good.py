"""A weak dictionary ends with its keys, and a list keeps a few of them."""

import weakref

import garboard as gb


class Request:
    pass


def main(watch):
    notes, requests = weakref.WeakKeyDictionary(), []
    for _ in range(80):
        request = Request()
        notes[request] = gb.randn(4)
        requests.append(request)
        del requests[:-8]
        watch.step()
    return watch.report()

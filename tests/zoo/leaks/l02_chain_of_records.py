"""Each record refers to the one before: no container gains anything."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "Record `newest`"


class Record:
    def __init__(self, before, value):
        self.before = before
        self.value = value


def main(watch):
    newest = None
    for _ in range(80):
        newest = Record(newest, gb.randn(4))  # born, held
        watch.step()
    return watch.report()

"""Small cycles wait for the collector, which comes when it does."""

import garboard as gb


class Node:
    def __init__(self):
        self.me = self
        self.value = gb.zeros(4)


def main(watch):
    for _ in range(200):
        Node()
        watch.step()
    return watch.report()

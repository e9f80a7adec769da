"""A generator makes batches ahead of the loop, and of different sizes."""

from collections import deque

import garboard as gb


def batches(count, ahead=3):
    waiting = deque()
    for i in range(count):
        waiting.append(gb.randn(4 + i % 5, 4))
        if len(waiting) > ahead:
            yield waiting.popleft()
    yield from waiting


def main(watch):
    net = gb.nn.Linear(4, 1)
    for x in batches(80):
        net(x).square().mean().backward()
        watch.step()
    return watch.report()

"""A window over the last eight batches is stacked at every step."""

from collections import deque

import garboard as gb


def main(watch):
    window = deque(maxlen=8)
    for _ in range(60):
        window.append(gb.randn(4))
        gb.stack(list(window)).mean(0).sum().item()
        watch.step()
    return watch.report()

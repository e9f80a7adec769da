"""Predictions are counted by number."""

from collections import Counter

import garboard as gb


def main(watch):
    net, counts = gb.nn.Linear(4, 3), Counter()
    for _ in range(120):
        with gb.no_grad():
            label = net(gb.randn(4)).argmax()
        counts[label.item()] += 1
        watch.step()
    return watch.report()

"""Predictions are counted by themselves: each is a key of its own, and stays."""

from collections import Counter

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "Counter `counts`"
FIX = "counts[label.item()] += 1"


def main(watch):
    net, counts = gb.nn.Linear(4, 3), Counter()
    for _ in range(120):
        with gb.no_grad():
            label = net(gb.randn(4)).argmax()  # born
        counts[label] += 1  # held
        watch.step()
    return watch.report()

"""Features by class: a fixed number of lists, each of which grows now and then."""

import random

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Prototypes.features["


class Prototypes:
    def __init__(self, classes):
        self.features = [[] for _ in range(classes)]

    def add(self, label, feature):
        self.features[label].append(feature)  # held


def main(watch):
    net, prototypes, draw = gb.nn.Linear(4, 4), Prototypes(8), random.Random(1)
    for _ in range(200):
        feature = net(gb.randn(4))  # born
        prototypes.add(draw.randrange(8), feature)
        watch.step()
    return watch.report()

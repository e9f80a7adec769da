"""A method is registered with its first argument, and files what it sees by that."""

import collections
import functools

import garboard as gb

KIND, VERDICT, HOLDER = "hook-capture", "LEAK", "list `Extractor.features['0']`"


class Extractor:
    def __init__(self, net):
        self.features = collections.defaultdict(list)
        for name, layer in net.named_children():
            if name == "0":
                layer.register_forward_hook(functools.partial(self.save, name))

    def save(self, name, module, args, output):
        self.features[name].append(output)  # held


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Linear(8, 1))
    seen = Extractor(net)
    for _ in range(80):
        net(gb.randn(8, 4)).mean().backward()  # born
        watch.step()
    assert seen.features
    return watch.report()

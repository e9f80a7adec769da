"""One state is kept, the best."""

import copy

import garboard as gb


class Stopping:
    def __init__(self):
        self.state = None

    def look(self, net):
        self.state = copy.deepcopy(net.state_dict())


def main(watch):
    net, stopping = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Linear(8, 2)), Stopping()
    for _ in range(60):
        stopping.look(net)
        watch.step()
    return watch.report()

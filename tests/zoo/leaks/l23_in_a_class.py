"""An early stopping that never stops keeps a copy at each look."""

import copy

import garboard as gb

KIND, VERDICT, HOLDER = "checkpoint-hoard", "LEAK", "list `Stopping.states`"


class Stopping:
    def __init__(self):
        self.states = []

    def look(self, net):
        self.states.append(copy.deepcopy(net.state_dict()))  # born, held


def main(watch):
    net, stopping = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Linear(8, 2)), Stopping()
    for _ in range(60):
        stopping.look(net)
        watch.step()
    return watch.report()

"""Every evaluation keeps a copy of the whole model."""

import copy

import garboard as gb

KIND, VERDICT, HOLDER = "checkpoint-hoard", "LEAK", "list `best`"
FIX = "best.append(copy.deepcopy(net.state_dict())); del best[:-1]  # or save each to a file"


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Linear(8, 2))
    best = []
    for _ in range(60):
        best.append(copy.deepcopy(net.state_dict()))  # born, held
        watch.step()
    return watch.report()

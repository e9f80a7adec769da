"""Copies of the model by step."""

import copy

import garboard as gb

KIND, VERDICT, HOLDER = "checkpoint-hoard", "LEAK", "dict `checkpoints`"


def main(watch):
    net = gb.nn.Linear(4, 2)
    checkpoints = {}
    for step in range(60):
        checkpoints[step] = copy.deepcopy(net.state_dict())  # born, held
        watch.step()
    return watch.report()

"""Outputs of validation steps are collected for the epoch's end, and stay."""

import garboard as gb

KIND, VERDICT, HOLDER = "metric-state", "LEAK", "list `Validation.outputs`"
FIX = "call Validation.reset() at the end of each epoch"


class Validation:
    def __init__(self):
        self.outputs = []

    def step(self, y):
        self.outputs.append(y)  # held

    def reset(self):
        self.outputs = []


def main(watch):
    net, validation = gb.nn.Linear(4, 2), Validation()
    for _ in range(4):
        for _ in range(15):
            with gb.no_grad():
                y = net(gb.randn(8, 4))  # born
            validation.step(y)
            watch.step()
        gb.cat(validation.outputs).mean().item()
        watch.epoch()
    return watch.report()

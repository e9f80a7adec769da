"""Outputs of an evaluation outside no_grad(): each keeps the activations of its graph."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `outputs`"
FIX = "outputs.append(out.detach()); del outputs[:-32]"


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Tanh(), gb.nn.Linear(8, 2))
    outputs = []
    for _ in range(60):
        out = net(gb.randn(8, 4))  # born
        outputs.append(out)  # held
        watch.step()
    return watch.report()

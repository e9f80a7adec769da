"""Tensors are the keys of a dict: what they map to is small, and they stay."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "dict `steps`"
FIX = "steps[loss.item()] = step"


def main(watch):
    net, steps = gb.nn.Linear(4, 1), {}
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        steps[loss] = step  # held
        watch.step()
    return watch.report()

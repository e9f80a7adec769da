"""Losses by step, each with a graph that was kept."""

import garboard as gb

KIND, VERDICT, HOLDER = "retain-graph", "LEAK", "dict `curve`"

curve = {}


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Tanh(), gb.nn.Linear(8, 1))
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward(retain_graph=True)
        curve[step] = loss  # held
        watch.step()
    return watch.report()

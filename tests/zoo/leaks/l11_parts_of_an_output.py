"""Two parts of an output have a backward pass each, and the last keeps the graph, too."""

import garboard as gb

KIND, VERDICT, HOLDER = "retain-graph", "LEAK", "list `outs`"
FIX = (
    "outs.append(y.detach()); del outs[:-32]"
    "  # and drop retain_graph=True on the last backward of a step"
)


def main(watch):
    net, outs = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Tanh(), gb.nn.Linear(8, 2)), []
    for _ in range(60):
        y = net(gb.randn(8, 4))  # born
        y[0].sum().backward(retain_graph=True)
        y[1].sum().backward(retain_graph=True)
        outs.append(y)  # held
        watch.step()
    return watch.report()

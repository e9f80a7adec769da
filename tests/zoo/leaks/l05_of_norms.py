"""Norms of gradients that have graphs of their own are summed by name, from nothing on."""

import garboard as gb

KIND, VERDICT, HOLDER = "graph-in-running-stat", "LEAK", "item `sums['"
FIX = "sums[name] = sums.get(name, 0) + grad.norm().detach()"


def main(watch):
    net, sums = gb.nn.Linear(4, 1), {}
    names, weights = zip(*net.named_parameters(), strict=True)
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean()
        grads = gb.autograd.grad(loss, weights, create_graph=True)
        for name, grad in zip(names, grads, strict=True):
            sums[name] = sums.get(name, 0) + grad.norm()  # born, held
        watch.step()
    return watch.report()

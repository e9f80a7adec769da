"""Norms of gradients are summed by name, as numbers."""

import garboard as gb


def main(watch):
    net, sums = gb.nn.Linear(4, 1), {}
    names, weights = zip(*net.named_parameters(), strict=True)
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean()
        grads = gb.autograd.grad(loss, weights, create_graph=True)
        for name, grad in zip(names, grads, strict=True):
            sums[name] = sums.get(name, 0) + grad.norm().item()
        watch.step()
    return watch.report()

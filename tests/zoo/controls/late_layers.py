"""Layers are unfrozen late: their gradients and optimizer state begin in mid-run."""

import garboard as gb


def main(watch):
    layers = [gb.nn.Linear(4, 4) for _ in range(8)]
    net = gb.nn.Sequential(*layers)
    for layer in layers[1:]:
        layer.requires_grad_(False)
    opt = gb.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(80):
        if step % 10 == 9:
            layers[step // 10].requires_grad_(True)
        opt.zero_grad()
        net(gb.randn(8, 4)).square().mean().backward()
        opt.step()
        watch.step()
    return watch.report()

"""Each parameter gets its hook once."""

import garboard as gb


def clip(gradient):
    return gradient.clamp(-1, 1)


def main(watch):
    net = gb.nn.Linear(3, 2)
    for parameter in net.parameters():
        parameter.register_hook(clip)
    for _ in range(60):
        net.zero_grad()
        net(gb.randn(4, 3)).sum().backward()
        watch.step()
    return watch.report()

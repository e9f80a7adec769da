"""A graph is kept for a second backward pass, which comes."""

import garboard as gb


def main(watch):
    trunk = gb.nn.Linear(4, 8)
    for _ in range(60):
        features = trunk(gb.randn(8, 4))
        features.mean().backward(retain_graph=True)
        features.square().mean().backward()
        trunk.zero_grad()
        watch.step()
    return watch.report()

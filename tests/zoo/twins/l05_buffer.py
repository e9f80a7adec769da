"""The buffer is updated with values."""

import garboard as gb


class Norm(gb.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = gb.nn.Linear(4, 4)
        self.register_buffer("mean", gb.zeros(4))

    def forward(self, x):
        x = self.scale(x)
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0).detach()
        return x


def main(watch):
    norm = Norm()
    for _ in range(60):
        norm(gb.randn(8, 4)).square().mean().backward()
        watch.step()
    return watch.report()

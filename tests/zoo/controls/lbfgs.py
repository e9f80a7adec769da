"""An optimizer of the library keeps lists of up to a hundred changes."""

import garboard as gb


def main(watch):
    net = gb.nn.Linear(4, 2)
    opt = gb.optim.LBFGS(net.parameters(), lr=0.1, max_iter=2, tolerance_change=0, tolerance_grad=0)
    x, y = gb.randn(8, 4), gb.randn(8, 2)

    def closure():
        opt.zero_grad()
        loss = (net(x).sin() - y).square().mean()
        loss.backward()
        return loss

    for _ in range(70):
        x = gb.randn(8, 4)
        opt.step(closure)
        watch.step()
    return watch.report()

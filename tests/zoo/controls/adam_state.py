"""Adam makes its state in the first step, backward the gradients."""

import garboard as gb


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU(), gb.nn.Linear(8, 1))
    opt = gb.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(80):
        loss = net(gb.randn(8, 4)).square().mean()
        if step % 2:
            opt.zero_grad(set_to_none=False)
        else:
            opt.zero_grad()
        loss.backward()
        opt.step()
        watch.step()
    return watch.report()

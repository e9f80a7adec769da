"""The loop of the book: a scope for each step, numbers carried out of it."""

import garboard as gb


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Tanh(), gb.nn.Linear(8, 1))
    opt = gb.optim.Adam(net.parameters(), lr=1e-3)
    total, kept = 0.0, []
    for _ in range(80):
        with gb.dispose_scope("step"):
            loss = net(gb.randn(8, 4)).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            kept.append(loss)  # a disposed tensor is a handle and no bytes
        watch.step()
    return watch.report()

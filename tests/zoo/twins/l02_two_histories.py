"""A dict of two lists of numbers."""

import garboard as gb


def main(watch):
    net = gb.nn.Linear(4, 1)
    history = {"train": [], "val": []}
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()
        loss.backward()
        history["val" if step % 5 == 4 else "train"].append(loss.item())
        watch.step()
    return watch.report()

"""A record has a dict of numbers."""

import garboard as gb


def main(watch):
    net, history = gb.nn.Linear(4, 1), []
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean().item()
        history.append({"step": step, "train": {"loss": loss, "half": loss / 2}})
        watch.step()
    return watch.report()

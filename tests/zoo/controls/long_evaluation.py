"""An evaluation of 130 batches, within a phase, keeps its outputs for its end."""

import garboard as gb


@gb.no_grad()
def evaluate(net, watch):
    outputs, losses = [], []
    for _ in range(130):
        y = net(gb.randn(8, 4))
        outputs.append(y)
        losses.append(y.square().mean())
        watch.step()
    return gb.cat(outputs).mean().item() + gb.stack(losses).mean().item()


def main(watch):
    net = gb.nn.Linear(4, 1)
    with watch.phase("eval"):
        evaluate(net, watch)
    for _ in range(10):
        watch.step()
    return watch.report()

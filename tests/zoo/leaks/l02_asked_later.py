"""Losses pile up, and a mean asks each of them for its number: they have to stay tensors."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `losses`"
FIX = "losses.append(loss.detach()); del losses[:-32]"


def main(watch):
    net, losses, means = gb.nn.Linear(4, 1), [], []
    for _ in range(80):
        loss = net(gb.randn(2, 4)).square().mean()  # born
        loss.backward()
        losses.append(loss)  # held
        means.append(sum(it.item() for it in losses[-10:]) / 10)
        watch.step()
    return watch.report()

"""Losses by epoch and batch: a key of two integers is no shape."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "dict `history`"


def main(watch):
    history = {}
    for epoch in range(6):
        for batch in range(10):
            history[epoch, batch] = gb.randn(8, 4).square().mean()  # born, held
            watch.step()
    return watch.report()

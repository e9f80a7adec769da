"""A dict of two lists: one of them gains a loss at every step, and the dict gains nothing."""

import garboard as gb

KIND, VERDICT = "tensor-list", "LEAK"
HOLDER = "list `history['train']` and 1 more of `history`"


def main(watch):
    net = gb.nn.Linear(4, 1)
    history = {"train": [], "val": []}
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        history["val" if step % 5 == 4 else "train"].append(loss)  # held
        watch.step()
    return watch.report()

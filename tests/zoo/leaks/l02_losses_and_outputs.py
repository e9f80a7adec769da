"""Each step's loss and outputs go into one list."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `kept`"
FIX = "kept.append(it.item() if it.numel() == 1 else it.detach())"


def main(watch):
    net, kept = gb.nn.Linear(4, 2), []
    for _ in range(60):
        y = net(gb.randn(8, 4))
        loss = y.square().mean()
        for it in (loss, y * 2):  # born
            kept.append(it)  # held
        loss.backward()
        watch.step()
    return watch.report()

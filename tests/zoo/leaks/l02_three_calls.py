"""One statement appends to three lists, of two lines of birth."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `losses`, `twice` and `more` ("
FIX = (
    "(losses.append(loss.item()), twice.append((loss * 2).item()), more.append((loss + 1).item()))"
)


def main(watch):
    net = gb.nn.Linear(4, 1)
    losses, twice, more = [], [], []
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        losses.append(loss), twice.append(loss * 2), more.append(loss + 1)  # held
        watch.step()
    return watch.report()

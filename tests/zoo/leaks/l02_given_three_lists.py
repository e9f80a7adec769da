"""A function appends to each of three lists that it is given: one line, three holders."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `first`, `second` and `third` ("
FIX = "rows.append(value.item())"


def log(rows, value):
    rows.append(value)  # held


def main(watch):
    net = gb.nn.Linear(4, 1)
    first = []
    second = []
    third = []
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean()
        for scale, rows in enumerate((first, second, third)):
            log(rows, loss * scale)  # born
        watch.step()
    return watch.report()

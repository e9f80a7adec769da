"""The list is an argument that `partial` keeps."""

from functools import partial

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `store`"


def record(store, value):
    store.append(value)  # held


def main(watch):
    log = partial(record, [])
    net = gb.nn.Linear(4, 1)
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        log(loss)
        watch.step()
    return watch.report()

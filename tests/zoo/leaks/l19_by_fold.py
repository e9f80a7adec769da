"""A dict of optimizers by fold, with momentum; the nets are gone."""

import garboard as gb

KIND, VERDICT, HOLDER = "optimizer-orphan", "LEAK", "dict `by_fold`"


def main(watch):
    by_fold = {}
    for fold in range(60):
        net = gb.nn.Linear(4, 2)  # born
        by_fold[fold] = gb.optim.SGD(net.parameters(), lr=1e-2)  # held
        net(gb.randn(8, 4)).square().mean().backward()
        by_fold[fold].step()
        watch.step()
    return watch.report()

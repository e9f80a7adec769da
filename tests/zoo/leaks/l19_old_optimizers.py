"""Every fold's optimizer is kept, and with it the parameters of a model nobody uses any more."""

import garboard as gb

KIND, VERDICT, HOLDER = "optimizer-orphan", "LEAK", "list `optimizers`"
FIX = "drop the optimizer together with its model, or optimizer.dispose() it"


def main(watch):
    optimizers = []
    for _ in range(60):
        net = gb.nn.Linear(4, 2)  # born
        optimizers.append(gb.optim.Adam(net.parameters()))  # held
        net(gb.randn(8, 4)).square().mean().backward()
        optimizers[-1].step()
        watch.step()
    return watch.report()

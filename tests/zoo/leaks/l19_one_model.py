"""An optimizer a step for one and the same model: the states are born detached."""

import garboard as gb

KIND, VERDICT, HOLDER = "optimizer-orphan", "LEAK", "list `optimizers`"


def main(watch):
    net = gb.nn.Linear(4, 2)
    optimizers = []
    for _ in range(60):
        optimizers.append(gb.optim.Adam(net.parameters()))  # held
        net(gb.randn(8, 4)).square().mean().backward()
        optimizers[-1].step()  # born
        watch.step()
    return watch.report()

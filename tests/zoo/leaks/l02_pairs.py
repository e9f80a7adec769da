"""Two losses a step are logged as a pair: to mend one of them is not enough."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `log`"
FIX = "log.append((first.item(), {'second': second.item()}))"


def main(watch):
    net, log = gb.nn.Linear(4, 1), []
    for _ in range(80):
        first = net(gb.randn(8, 4)).mean()
        second = net(gb.randn(8, 4)).square().mean()  # born
        log.append((first, {"second": second}))  # held
        del first, second
        watch.step()
    return watch.report()

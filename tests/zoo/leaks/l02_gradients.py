"""Each step's gradient is logged: it is born outside every scope, and booked as a gradient."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `log`"


def main(watch):
    net = gb.nn.Linear(4, 2)
    log = []
    for _ in range(140):
        net(gb.randn(8, 4)).square().mean().backward()  # born
        log.append(net.weight.grad)  # held
        net.zero_grad()
        watch.step()
    return watch.report()

"""An average of all parameters is made with their history."""

import garboard as gb


class EMA:
    def __init__(self, net):
        self.shadow = {name: p.detach().clone() for name, p in net.named_parameters()}

    def update(self, net):
        for name, p in net.named_parameters():
            self.shadow[name] = 0.9 * self.shadow[name] + 0.1 * p.detach()


def main(watch):
    net = gb.nn.Linear(4, 2)
    ema, opt = EMA(net), gb.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(60):
        opt.zero_grad()
        net(gb.randn(8, 4)).square().mean().backward()
        opt.step()
        ema.update(net)
        watch.step()
    return watch.report()

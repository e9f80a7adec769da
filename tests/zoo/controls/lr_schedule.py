"""A schedule steps beside its optimizer."""

import garboard as gb


def main(watch):
    net = gb.nn.Linear(4, 2)
    opt = gb.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    schedule = gb.optim.lr_scheduler.StepLR(opt, step_size=5)
    for _ in range(60):
        opt.zero_grad()
        net(gb.randn(8, 4)).square().mean().backward()
        opt.step()
        schedule.step()
        watch.step()
    return watch.report()

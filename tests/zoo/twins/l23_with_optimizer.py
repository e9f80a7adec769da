"""The newest checkpoint of model and optimizer is kept."""

import copy

import garboard as gb


def main(watch):
    net, saved = gb.nn.Linear(4, 4), {}
    opt = gb.optim.Adam(net.parameters())
    for step in range(60):
        opt.zero_grad()
        net(gb.randn(2, 4)).sum().backward()
        opt.step()
        state = {"net": net.state_dict(), "opt": opt.state_dict(), "step": step}
        saved = copy.deepcopy(state)
        watch.step()
    assert saved
    return watch.report()

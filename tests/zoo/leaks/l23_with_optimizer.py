"""Each checkpoint has a copy of the model's state and of the optimizer's."""

import copy

import garboard as gb

KIND, VERDICT, HOLDER = "checkpoint-hoard", "LEAK", "list `saved`"


def main(watch):
    net, saved = gb.nn.Linear(4, 4), []
    opt = gb.optim.Adam(net.parameters())
    for step in range(60):
        opt.zero_grad()
        net(gb.randn(2, 4)).sum().backward()
        opt.step()
        state = {"net": net.state_dict(), "opt": opt.state_dict(), "step": step}
        saved.append(copy.deepcopy(state))  # born, held
        watch.step()
    return watch.report()

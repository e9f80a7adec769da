"""Every step puts a hook on each parameter: one line to change."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-accumulation", "LEAK", ""


def clip(gradient):
    return gradient.clamp(-1, 1)


def main(watch):
    net = gb.nn.Linear(3, 2)
    for _ in range(60):
        for parameter in net.parameters():
            parameter.register_hook(clip)  # born
        net.zero_grad()
        net(gb.randn(4, 3)).sum().backward()
        watch.step()
    return watch.report()

"""Every step puts a hook on the same parameter."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-accumulation", "LEAK", "Hooks `w`"


def main(watch):
    w = gb.randn(4).requires_grad_()
    for _ in range(60):
        w.register_hook(lambda gradient: gradient * 0.5)  # born
        (w * 2).sum().backward()
        watch.step()
    return watch.report()

"""The hook is a method, and stores on its own object."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-capture", "LEAK", "list `Recorder.seen`"


class Recorder:
    def __init__(self):
        self.seen = []

    def keep(self, module, args, output):
        self.seen.append(output)  # held


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU())
    net[0].register_forward_hook(Recorder().keep)
    for _ in range(60):
        net(gb.randn(8, 4)).square().mean().backward()  # born
        watch.step()
    return watch.report()

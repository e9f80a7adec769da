"""Every restart builds the net anew, and a dict of the class keeps each by its run."""

import garboard as gb

KIND, VERDICT, HOLDER = "duplicate-nets", "LEAK", "dict `Study.nets`"


class Study:
    nets = {}  # noqa: RUF012

    def run(self, number):
        net = gb.nn.Linear(4, 2)  # born
        self.nets[number] = net  # held
        return net


def main(watch):
    study, x = Study(), gb.randn(8, 4)
    for number in range(60):
        study.run(number)(x).square().mean().backward()
        watch.step()
    return watch.report()

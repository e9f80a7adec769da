"""Each task has a new head, and the optimizer keeps those of all tasks before."""

import garboard as gb

KIND, VERDICT, HOLDER = "optimizer-orphan", "LEAK", "SGD `Continual.optimizer`"


class Continual:
    def __init__(self):
        self.body = gb.nn.Linear(4, 4)
        self.optimizer = gb.optim.SGD(self.body.parameters(), lr=0.1)

    def train(self):
        self.head = gb.nn.Linear(4, 2)  # born
        self.optimizer.add_param_group({"params": self.head.parameters()})  # held
        self.head(self.body(gb.randn(8, 4))).mean().backward()
        self.optimizer.step()
        self.optimizer.zero_grad()


def main(watch):
    learner = Continual()
    for _ in range(60):
        learner.train()
        watch.step()
    return watch.report()

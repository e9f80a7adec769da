"""A copy at the end of each epoch."""

import garboard as gb

KIND, VERDICT, HOLDER = "checkpoint-hoard", "LEAK", "list `Trainer.history`"


class Trainer:
    def __init__(self):
        self.net = gb.nn.Linear(4, 2)
        self.history = []

    def end_epoch(self):
        state = {name: it.clone() for name, it in self.net.state_dict().items()}  # born
        self.history.append(state)  # held


def main(watch):
    trainer = Trainer()
    for _ in range(6):
        for _ in range(8):
            trainer.net(gb.randn(8, 4)).square().mean().backward()
            watch.step()
        trainer.end_epoch()
        watch.epoch()
    return watch.report()

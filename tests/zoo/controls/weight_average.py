"""An averaged copy of the weights is replaced in each step."""

import garboard as gb


class Trainer:
    def __init__(self):
        self.net = gb.nn.Linear(4, 2)
        self.average = {k: v.clone() for k, v in self.net.state_dict().items()}

    def step(self):
        self.net(gb.randn(8, 4)).square().mean().backward()
        with gb.no_grad():
            self.average = {
                k: 0.9 * v + 0.1 * self.net.state_dict()[k] for k, v in self.average.items()
            }


def main(watch):
    trainer = Trainer()
    for _ in range(80):
        trainer.step()
        watch.step()
    return watch.report()

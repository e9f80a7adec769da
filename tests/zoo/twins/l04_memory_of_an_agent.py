"""The belief is updated without history."""

import garboard as gb


class Agent:
    def __init__(self):
        self.net = gb.nn.Linear(4, 4)
        with gb.no_grad():
            self.belief = gb.zeros(1, 4)

    def see(self, observation):
        with gb.no_grad():
            self.belief = gb.sigmoid(self.net(self.belief + observation))


def main(watch):
    agent = Agent()
    for _ in range(80):
        agent.see(gb.randn(1, 4))
        watch.step()
    return watch.report()

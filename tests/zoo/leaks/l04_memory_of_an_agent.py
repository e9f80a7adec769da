"""An agent's belief is updated by its net, and never cut."""

import garboard as gb

KIND, VERDICT, HOLDER = "state-carryover", "LEAK", "attribute `Agent.belief`"


class Agent:
    def __init__(self):
        self.net = gb.nn.Linear(4, 4)
        self.belief = gb.zeros(1, 4)

    def see(self, observation):
        self.belief = gb.sigmoid(self.net(self.belief + observation))  # born, held


def main(watch):
    agent = Agent()
    for _ in range(80):
        agent.see(gb.randn(1, 4))
        watch.step()
    return watch.report()

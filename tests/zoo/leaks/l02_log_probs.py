"""A policy's log-probabilities are stacked at each episode's end, and never let go."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Policy.log_probs`"
FIX = "clear Policy.log_probs when stack() has made one tensor of it, or keep numbers alone"


class Policy:
    def __init__(self):
        self.net = gb.nn.Linear(3, 2)
        self.log_probs = []

    def act(self, state):
        log_prob = self.net(state).log_softmax(0)[0]  # born
        self.log_probs.append(log_prob)  # held


def main(watch):
    policy = Policy()
    for _ in range(60):
        begun = len(policy.log_probs)
        for _ in range(3):
            policy.act(gb.randn(3))
        (-gb.stack(policy.log_probs[begun:]).sum()).backward()
        watch.step()
    return watch.report()

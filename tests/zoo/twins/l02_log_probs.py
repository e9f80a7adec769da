"""They are let go when the episode has had its backward pass."""

import garboard as gb


class Policy:
    def __init__(self):
        self.net = gb.nn.Linear(3, 2)
        self.log_probs = []

    def act(self, state):
        log_prob = self.net(state).log_softmax(0)[0]
        self.log_probs.append(log_prob)


def main(watch):
    policy = Policy()
    for _ in range(60):
        for _ in range(3):
            policy.act(gb.randn(3))
        (-gb.stack(policy.log_probs).sum()).backward()
        policy.log_probs.clear()
        watch.step()
    return watch.report()

"""An episode lets go of its rewards, and not of the log probabilities that the loss is made of."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Policy.log_probs`"
FIX = "clear policy.log_probs when backward() has gone through it"


class Policy(gb.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = gb.nn.Linear(4, 2)
        self.log_probs, self.rewards = [], []


def act(policy, state):
    log_prob = policy.net(state).log_softmax(-1)[0]  # born
    policy.log_probs.append(log_prob)  # held
    policy.rewards.append(1.0)


def learn(policy, optimizer):
    losses = []
    for log_prob, reward in zip(policy.log_probs[-10:], policy.rewards, strict=True):
        losses.append(-log_prob * reward)
    loss = sum(losses)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    del policy.rewards[:]


def main(watch):
    policy = Policy()
    optimizer = gb.optim.SGD(policy.parameters(), lr=0.01)
    for _ in range(10):
        for _ in range(10):
            act(policy, gb.randn(4))
            watch.step()
        learn(policy, optimizer)
    return watch.report()

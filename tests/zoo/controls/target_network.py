"""A second network that asks for gradients and never gets one is copied to every ten steps."""

import garboard as gb


class Agent:
    def __init__(self):
        self.net, self.target = gb.nn.Linear(4, 2), gb.nn.Linear(4, 2)


class Learner(Agent):
    pass


def main(watch):
    agent = Learner()
    for step in range(80):
        if step % 10 == 0:
            agent.target.load_state_dict(agent.net.state_dict())
        with gb.no_grad():
            wanted = agent.target(gb.randn(8, 4))
        gb.nn.functional.mse_loss(agent.net(gb.randn(8, 4)), wanted).backward()
        watch.step()
    return watch.report()

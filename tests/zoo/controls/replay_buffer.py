"""A replay buffer whose capacity was declared."""

import garboard as gb


class Agent:
    def __init__(self):
        self.memory = []


def main(watch):
    watch.expect("Agent.memory", max_items=200, reason="replay buffer")
    agent = Agent()
    for _ in range(120):
        agent.memory.append(gb.randn(4))
        watch.step()
    return watch.report()

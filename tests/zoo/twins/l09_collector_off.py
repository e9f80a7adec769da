"""The agent refers to its environment weakly."""

import gc
import weakref

import garboard as gb


class Env:
    def __init__(self):
        self.state = gb.randn(16)
        self.agent = Agent(self)


class Agent:
    def __init__(self, env):
        self.env = weakref.ref(env)


def main(watch):
    gc.disable()
    try:
        for _ in range(80):
            Env()
            watch.step()
        return watch.report()
    finally:
        gc.enable()

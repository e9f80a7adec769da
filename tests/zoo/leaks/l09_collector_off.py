"""Small pairs of objects that refer to each other, in a program that keeps the collector off."""

import gc

import garboard as gb

KIND, VERDICT, HOLDER = "py-cycle", "CYCLE", "Env object"


class Env:
    def __init__(self):
        self.state = gb.randn(16)  # born
        self.agent = Agent(self)


class Agent:
    def __init__(self, env):
        self.env = env


def main(watch):
    gc.disable()
    try:
        for _ in range(80):
            Env()
            watch.step()
        return watch.report()
    finally:
        gc.enable()

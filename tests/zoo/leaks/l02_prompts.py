"""A pool of prompts gains a parameter at each step, and no net is built."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "ParameterList `Pool.prompts`"


class Pool(gb.nn.Module):
    def __init__(self):
        super().__init__()
        self.prompts = gb.nn.ParameterList()

    def add(self):
        self.prompts.append(gb.nn.Parameter(gb.randn(4)))  # born, held


def main(watch):
    pool = Pool()
    for _ in range(60):
        pool.add()
        watch.step()
    return watch.report()

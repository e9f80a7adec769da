"""A frozen state whose trace is a tuple that gets longer."""

from dataclasses import dataclass, replace
from typing import Any

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "tuple `State.trace`"


@dataclass(frozen=True)
class State:
    step: int = 0
    trace: tuple[Any, ...] = ()


def main(watch):
    state, net = State(), gb.nn.Linear(4, 1)
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        state = replace(state, step=state.step + 1, trace=(*state.trace, loss))  # held
        watch.step()
    return watch.report()

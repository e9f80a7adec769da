"""Records of a class are made of losses, in the line that stores them."""

from dataclasses import dataclass

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `log`"
FIX = "log.append(Row(step, loss=loss.item()))"


@dataclass
class Row:
    step: int
    loss: object


def main(watch):
    net, log = gb.nn.Linear(4, 1), []
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        log.append(Row(step, loss=loss))  # held
        watch.step()
    return watch.report()

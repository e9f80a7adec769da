"""A cell that is run again and again ends in its loss: each run has an output of its own."""

import garboard as gb

from tests.support.cells import Notebook

KIND, VERDICT, HOLDER = "notebook-output", "LEAK", "output history `Out`"


def train(net):
    loss = net(gb.ones(8, 4)).square().mean()
    loss.backward()
    return loss.detach()  # born


def main(watch):
    net = gb.nn.Linear(4, 2)
    with Notebook() as notebook:
        notebook.shell.user_ns.update(train=train, net=net)
        for _ in range(60):
            notebook.run("train(net)")
            watch.step()
        return watch.report()

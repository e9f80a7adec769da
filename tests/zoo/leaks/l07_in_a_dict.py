"""A cell shows a dict of results, and the next one assigns the name anew."""

import garboard as gb

from tests.support.cells import Notebook

KIND, VERDICT, HOLDER = "notebook-output", "RETAINED", "dict `Out[1]`"


def evaluate(net):
    return {"loss": 0.5, "logits": net(gb.ones(100, 4))}  # born


def main(watch):
    net = gb.nn.Linear(4, 2)
    with Notebook() as notebook, gb.no_grad():
        notebook.shell.user_ns.update(evaluate=evaluate, net=net)
        for step in range(30):
            if step == 5:
                notebook.run("results = evaluate(net)\nresults")
            if step == 6:
                notebook.run("results = None")
            watch.step()
        return watch.report()

"""A cell ends in a bare value; the variable is deleted, the output stays."""

import garboard as gb

from tests.support.cells import Notebook

KIND, VERDICT, HOLDER = "notebook-output", "RETAINED", "output `Out[1]`"


def activations():
    return gb.zeros(1000)  # born


def main(watch):
    with Notebook() as notebook:
        notebook.shell.user_ns["activations"] = activations
        for step in range(30):
            if step == 5:
                notebook.run("x = activations()\nx")
                notebook.run("del x")
            watch.step()
        return watch.report()

"""The history is emptied by hand, and `_` still has the last value."""

import garboard as gb

from tests.support.cells import Notebook

KIND, VERDICT, HOLDER = "notebook-output", "RETAINED", "output `_"


def activations():
    return gb.zeros(1000)  # born


def main(watch):
    with Notebook() as notebook:
        notebook.shell.user_ns["activations"] = activations
        for step in range(30):
            if step == 5:
                notebook.run("activations()")
                notebook.run("Out.clear()")
            watch.step()
        return watch.report()

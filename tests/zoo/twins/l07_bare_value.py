"""A semicolon ends the cell: nothing is shown, and nothing kept."""

import garboard as gb

from tests.support.cells import Notebook


def activations():
    return gb.zeros(1000)


def main(watch):
    with Notebook() as notebook:
        notebook.shell.user_ns["activations"] = activations
        for step in range(30):
            if step == 5:
                notebook.run("x = activations()\nx;")
                notebook.run("del x")
            watch.step()
        return watch.report()

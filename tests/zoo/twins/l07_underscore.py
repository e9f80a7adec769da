"""The history is emptied by the notebook's own command, which thinks of `_`, too."""

import garboard as gb

from tests.support.cells import Notebook


def activations():
    return gb.zeros(1000)


def main(watch):
    with Notebook() as notebook:
        notebook.shell.user_ns["activations"] = activations
        for step in range(30):
            if step == 5:
                notebook.run("activations()")
                notebook.run("%load_ext garboard")
                notebook.run("%leaks clear out")
            watch.step()
        return watch.report()

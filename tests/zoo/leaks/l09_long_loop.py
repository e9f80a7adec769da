"""The collector is off, and the looks of a long loop end what has piled up."""

import gc

import garboard as gb

KIND, VERDICT, HOLDER = "py-cycle", "CYCLE", "Branch object"


class Branch:
    def __init__(self, parent=None):
        self.value = gb.zeros(1 << 14)  # born
        self.parent, self.children = parent, []
        if parent:
            parent.children.append(self)


def search():
    root = Branch()
    Branch(root)
    return root.value.sum().item()


def main(watch):
    gc.disable()
    try:
        for _ in range(100):
            search()
            watch.step()
        return watch.report()
    finally:
        gc.enable()

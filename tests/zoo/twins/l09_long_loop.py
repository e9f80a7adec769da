"""Children know their parent weakly."""

import gc
import weakref

import garboard as gb


class Branch:
    def __init__(self, parent=None):
        self.value = gb.zeros(1 << 14)
        self.parent, self.children = parent and weakref.ref(parent), []
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

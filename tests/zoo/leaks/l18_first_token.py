"""An encoder's first outputs are kept; each is a small view of all of them."""

import garboard as gb

KIND, VERDICT, HOLDER = "view-pins-storage", "LEAK", "list `Index.vectors`"


class Index:
    def __init__(self):
        self.vectors = []

    def add(self, outputs):
        self.vectors.append(outputs[0])  # born, held


def main(watch):
    index = Index()
    for _ in range(60):
        index.add(gb.zeros(64, 32))
        watch.step()
    return watch.report()

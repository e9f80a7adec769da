"""The index has numbers of each."""

import garboard as gb


class Index:
    def __init__(self):
        self.vectors = []

    def add(self, outputs):
        self.vectors.append(outputs[0].sum().item())


def main(watch):
    index = Index()
    for _ in range(60):
        index.add(gb.zeros(64, 32))
        watch.step()
    return watch.report()

"""A class keeps numbers."""

import garboard as gb


class Plugin:
    results = {}  # noqa: RUF012

    def run(self, step):
        self.results[type(self).__name__, step] = gb.randn(4).sum().item()


class Probe(Plugin):
    """One of them."""


def main(watch):
    for step in range(60):
        Probe().run(step)
        watch.step()
    return watch.report()

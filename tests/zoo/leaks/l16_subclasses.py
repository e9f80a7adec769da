"""A class keeps the results of all its subclasses."""

import garboard as gb

KIND, VERDICT, HOLDER = "global-registry", "LEAK", "dict `Plugin.results`"


class Plugin:
    results = {}  # noqa: RUF012

    def run(self, step):
        self.results[type(self).__name__, step] = gb.randn(4).sum()  # born, held


class Probe(Plugin):
    """One of them."""


def main(watch):
    for step in range(60):
        Probe().run(step)
        watch.step()
    return watch.report()

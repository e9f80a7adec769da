"""A stack whose bound stands in a dict of settings."""

import garboard as gb

SETTINGS = {"undo": 170}


class Doc:
    def __init__(self):
        self.stack = []

    def save(self, x):
        self.stack.append(x)
        if len(self.stack) > SETTINGS["undo"]:
            self.stack.pop(0)


def main(watch):
    d = Doc()
    for _ in range(140):
        d.save(gb.randn(3))
        watch.step()
    return watch.report()

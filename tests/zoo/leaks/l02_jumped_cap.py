"""Two items a step, and a cap at an odd number that is compared by `==`."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Window.rows`"


class Window:
    def __init__(self):
        self.rows = []

    def push(self, a, b):
        self.rows.extend((a, b))  # held
        if len(self.rows) == 25:
            self.rows.pop(0)
            self.rows.pop(0)


def main(watch):
    window = Window()
    for _ in range(130):
        window.push(gb.randn(4), gb.randn(4))  # born
        watch.step()
    return watch.report()

"""The workspaces are of a few sizes."""

import garboard as gb


class Product:
    def __init__(self):
        self.spaces = {}

    def space(self, a, b):
        self.spaces[a, b] = gb.zeros(a[0], b[1])


def main(watch):
    product = Product()
    for step in range(60):
        product.space((2, 3), (3, 20 + step % 3))
        watch.step()
    return watch.report()

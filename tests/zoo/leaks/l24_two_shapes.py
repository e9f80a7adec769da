"""A workspace for each pair of shapes of a product."""

import garboard as gb

KIND, VERDICT, HOLDER = "unbounded-shape-cache", "GROWING", "dict `Product.spaces`"


class Product:
    def __init__(self):
        self.spaces = {}

    def space(self, a, b):
        self.spaces[a, b] = gb.zeros(a[0], b[1])  # born, held


def main(watch):
    product = Product()
    for step in range(60):
        product.space((2, 3), (3, 20 + step))
        watch.step()
    return watch.report()

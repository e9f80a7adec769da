"""Nodes are kept for a picture of the graph, and each keeps all that was saved behind it."""

import garboard as gb

KIND, VERDICT, HOLDER = "kept-graph", "LEAK", "list `nodes`"


def main(watch):
    w = gb.randn(256).requires_grad_()
    nodes = []
    for _ in range(60):
        nodes.append((w * 2).exp().sum().grad_fn)  # born, held
        watch.step()
    return watch.report()

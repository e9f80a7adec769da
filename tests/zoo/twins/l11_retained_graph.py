"""The first pass keeps the graph, the second uses and frees it."""

import garboard as gb


def main(watch):
    trunk, head = gb.nn.Linear(4, 8), gb.nn.Linear(8, 1)
    log = []
    for _ in range(60):
        features = gb.tanh(trunk(gb.randn(8, 4)))
        first = head(features).square().mean()
        second = head(features).mean()
        first.backward(retain_graph=True)
        second.backward()
        log.append(second.item())
        watch.step()
    return watch.report()

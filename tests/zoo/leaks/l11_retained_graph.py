"""Two losses share a trunk; both passes keep the graph, and the log keeps both losses."""

import garboard as gb

KIND, VERDICT, HOLDER = "retain-graph", "LEAK", "list `log`"


def main(watch):
    trunk, head = gb.nn.Linear(4, 8), gb.nn.Linear(8, 1)
    log = []
    for _ in range(60):
        features = gb.tanh(trunk(gb.randn(8, 4)))
        first = head(features).square().mean()
        second = head(features).mean()  # born
        first.backward(retain_graph=True)
        second.backward(retain_graph=True)
        log.append(second)  # held
        watch.step()
    return watch.report()

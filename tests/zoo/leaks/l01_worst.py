"""The worst loss so far: a chain of maxima, which no backward pass frees."""

import garboard as gb

KIND, VERDICT, HOLDER = "accumulated-graph", "LEAK", "local `worst`"
FIX = "worst = (loss if worst is None else gb.maximum(worst, loss)).detach()"


def main(watch):
    net, worst = gb.nn.Linear(4, 1), None
    for _ in range(80):
        loss = net(gb.randn(8, 4)).square().mean()
        loss.backward()
        worst = loss if worst is None else gb.maximum(worst, loss)  # born, held
        watch.step()
    return watch.report()

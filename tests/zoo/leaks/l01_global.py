"""The sum is a global variable, and is rebound instead of written."""

import garboard as gb

KIND, VERDICT, HOLDER = "accumulated-graph", "LEAK", "global `running`"
FIX = "running = running + loss.detach()"

running = 0.0


def main(watch):
    global running
    w = gb.randn(4, 1).requires_grad_()
    x = gb.randn(8, 4)
    for _ in range(60):
        loss = (x @ w).square().mean()
        loss.backward()
        running = running + loss  # born, held
        watch.step()
    return watch.report()

"""A validation loop sums its loss outside no_grad(): no backward frees anything."""

import garboard as gb

KIND, VERDICT, HOLDER = "accumulated-graph", "LEAK", "local `val_loss`"
FIX = "val_loss += gb.nn.functional.mse_loss(net(x), x).item()"


def main(watch):
    net = gb.nn.Linear(4, 4)
    val_loss = 0
    for _ in range(60):
        x = gb.randn(8, 4)
        val_loss += gb.nn.functional.mse_loss(net(x), x)  # born, held
        watch.step()
    return watch.report()

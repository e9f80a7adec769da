"""`total += loss` links the graphs of all steps; backward has freed all but the nodes."""

import garboard as gb

KIND, VERDICT, HOLDER = "accumulated-graph", "LEAK", "local `total`"
FIX = "total += loss.item()"


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU(), gb.nn.Linear(8, 1))
    opt = gb.optim.Adam(net.parameters(), lr=1e-3)
    x, y = gb.randn(8, 4), gb.randn(8, 1)
    total = 0
    for _ in range(60):
        loss = gb.nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss  # born, held
        watch.step()
    return watch.report()

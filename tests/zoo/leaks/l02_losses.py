"""A list of losses where numbers would do: each item keeps its graph."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `losses`"
FIX = "losses.append(loss.item())"


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU(), gb.nn.Linear(8, 1))
    opt = gb.optim.Adam(net.parameters(), lr=1e-3)
    x, y = gb.randn(8, 4), gb.randn(8, 1)
    losses = []
    for _ in range(60):
        loss = gb.nn.functional.mse_loss(net(x), y)  # born
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss)  # held
        watch.step()
    return watch.report()

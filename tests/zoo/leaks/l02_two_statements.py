"""Two statements store one loss into a list and a dict: who mends one has mended nothing."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `losses` ("
FIX = "loss = loss.item(); losses.append(loss)"


def main(watch):
    net, losses, by_step = gb.nn.Linear(4, 1), [], {}
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        losses.append(loss)
        by_step[step] = loss  # held
        watch.step()
    return watch.report()

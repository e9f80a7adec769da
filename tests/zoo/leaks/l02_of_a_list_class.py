"""A list with a method of its own, by which it is filled."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "Curve `curve`"
FIX = "self.append(loss.item())"


class Curve(list):
    def note(self, loss):
        self.append(loss)  # held


def main(watch):
    net, curve = gb.nn.Linear(4, 1), Curve()
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        curve.note(loss)
        watch.step()
    return watch.report()

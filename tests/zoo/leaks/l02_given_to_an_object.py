"""An object appends to a list that it was made with."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `losses`"
FIX = "self.sink.append(value.item())"


class Logger:
    def __init__(self, sink):
        self.sink = sink

    def log(self, value):
        self.sink.append(value)  # held


def main(watch):
    net, losses = gb.nn.Linear(4, 1), []
    logger = Logger(losses)
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        logger.log(loss)
        watch.step()
    return watch.report()

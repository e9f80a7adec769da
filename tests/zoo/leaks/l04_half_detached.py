"""A stream detaches one of its two states, and carries the graphs on by the other."""

import garboard as gb

KIND, VERDICT, HOLDER = "state-carryover", "LEAK", "item `Stream.state[1]`"
FIX = "self.state = (h.detach(), c.detach())"


class Stream:
    def __init__(self, lstm):
        self.lstm, self.state = lstm, (gb.zeros(1, 2, 8), gb.zeros(1, 2, 8))

    def feed(self, x):
        _, (h, c) = self.lstm(x, self.state)  # born
        self.state = (h.detach(), c)  # held
        return h.mean().item()


def main(watch):
    stream = Stream(gb.nn.LSTM(4, 8))
    for _ in range(60):
        stream.feed(gb.randn(3, 2, 4))
        watch.step()
    return watch.report()

"""A stream detaches both of its states."""

import garboard as gb


class Stream:
    def __init__(self, lstm):
        self.lstm, self.state = lstm, (gb.zeros(1, 2, 8), gb.zeros(1, 2, 8))

    def feed(self, x):
        _, (h, c) = self.lstm(x, self.state)
        self.state = (h.detach(), c.detach())
        return h.mean().item()


def main(watch):
    stream = Stream(gb.nn.LSTM(4, 8))
    for _ in range(60):
        stream.feed(gb.randn(3, 2, 4))
        watch.step()
    return watch.report()

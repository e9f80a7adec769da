"""The state of a recurrent layer is carried on; what comes of its outputs is newer."""

import garboard as gb

KIND, VERDICT, HOLDER = "state-carryover", "LEAK", "local `hidden`"
FIX = "cut the graph after each step: hidden = hidden.detach()"


class Speller(gb.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = gb.nn.GRU(4, 8, batch_first=True)
        self.out = gb.nn.Linear(8, 5)

    def forward(self, x, hidden):
        y, hidden = self.rnn(x, hidden)  # born
        return self.out(y), hidden


def main(watch):
    net, hidden = Speller(), gb.zeros(1, 2, 8)
    for _ in range(60):
        scores, hidden = net(gb.randn(2, 3, 4), hidden)  # held
        scores.logsumexp(2).mean().item()
        watch.step()
    return watch.report()

"""The hidden state is an attribute of the model."""

import garboard as gb

KIND, VERDICT, HOLDER = "state-carryover", "LEAK", "attribute `Tagger.state`"


class Tagger(gb.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = gb.nn.Linear(4, 4)
        self.state = gb.zeros(2, 4)

    def forward(self, x):
        self.state = gb.tanh(self.cell(self.state) + x)  # born, held
        return self.state


def main(watch):
    tagger = Tagger()
    for _ in range(60):
        tagger(gb.randn(2, 4)).mean().backward(retain_graph=True)
        watch.step()
    return watch.report()

"""A block remembers its last outputs for the next segment, and the loss is still at hand."""

import garboard as gb

KIND, VERDICT, HOLDER = "state-carryover", "LEAK", "attribute `Block.memory`"
FIX = "cut the graph after each step: self.memory = self.memory.detach()"


class Block(gb.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = gb.nn.Linear(8, 8)
        self.memory = gb.zeros(4, 8)

    def forward(self, x):
        out = gb.tanh(self.layer(gb.cat([self.memory, x])))
        self.memory = gb.cat([self.memory, out])[-4:]  # born, held
        return out


def main(watch):
    block = Block()
    for _ in range(60):
        loss = block(gb.randn(2, 8)).square().mean()
        watch.step()
    assert loss is not None
    return watch.report()

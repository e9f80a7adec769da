"""A buffer of tensors with contents, whose capacity was not declared."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "list `memory`"
FIX = "memory.append(gb.randn(8, 4)); del memory[:-32]  # or clear it at the end of each epoch"


def main(watch):
    memory = []
    for _ in range(60):
        memory.append(gb.randn(8, 4))  # born, held
        watch.step()
    return watch.report()

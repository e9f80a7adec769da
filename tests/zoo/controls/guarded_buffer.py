"""A buffer that is filled while it is shorter than its capacity."""

import garboard as gb


def main(watch):
    memory = []
    for step in range(160):
        x = gb.randn(4)
        if len(memory) < 32:
            memory.append(x)
        else:
            memory[step % 32] = x
        watch.step()
    return watch.report()

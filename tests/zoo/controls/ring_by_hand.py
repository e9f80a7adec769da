"""The last hundred losses in a list of fixed length, and the last seventy in one that is cut."""

import garboard as gb


def main(watch):
    ring, recent = [None] * 100, []
    for step in range(400):
        loss = gb.randn(8, 4).square().mean()
        ring[step % 100] = loss
        recent = [*recent[-69:], loss + 1]
        watch.step()
    return watch.report()

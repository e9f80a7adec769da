"""Objects that refer to the one before, cut after ten, or let go with each game."""

import garboard as gb


class Undo:
    def __init__(self, state, before, depth):
        self.state, self.before, self.depth = state, before, depth


def shortened(newest, most=10):
    at = newest
    for _ in range(most):
        if at is None:
            return
        at = at.before
    if at is not None:
        at.before = None


def main(watch):
    undo, move = None, None
    for step in range(150):
        undo = Undo(gb.randn(4), undo, step)
        shortened(undo)
        if step % 30 == 0:
            move = None  # a new game
        move = Undo(gb.randn(4), move, step)
        watch.step()
    return watch.report()

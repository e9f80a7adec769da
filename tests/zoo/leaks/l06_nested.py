"""Each attempt is made in the handler of the one before, where that one's error still lives."""

import garboard as gb

KIND, VERDICT, HOLDER = "retained-exception", "LEAK", "MemoryError"


def attempt():
    activation = gb.randn(64)  # born
    raise MemoryError(activation.shape)


def train(left, watch):
    try:
        attempt()
    except MemoryError:
        watch.step()
        return train(left - 1, watch) if left else watch.report()


def main(watch):
    return train(60, watch)

"""The errors' texts by step."""

import garboard as gb


def forward(x):
    hidden = x * 2
    raise ArithmeticError(tuple(hidden.shape))


def main(watch):
    failed = {}
    for step in range(60):
        try:
            forward(gb.randn(8, 8))
        except ArithmeticError as error:
            failed[step] = repr(error)
        watch.step()
    return watch.report()

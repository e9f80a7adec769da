"""Each tensor has an attribute that is the one before."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "local `newest`"


def main(watch):
    newest = gb.zeros(4)
    for _ in range(60):
        before, newest = newest, gb.randn(4)  # born
        newest.before = before  # type: ignore[attr-defined]
        del before
        watch.step()
    return watch.report()

"""The outer scope is an epoch's, and closes."""

import garboard as gb


def main(watch):
    for _ in range(6):
        with gb.dispose_scope("epoch"):
            results = []
            for _ in range(10):
                with gb.dispose_scope("step"):
                    y = gb.randn(8, 4) * 2
                    y.move_to_outer_dispose_scope()
                    results.append(y)
                watch.step()
    return watch.report()

"""What is detached replaces the one before."""

import garboard as gb


def main(watch):
    cache = [None]
    for _ in range(60):
        with gb.dispose_scope("step") as scope:
            y = gb.randn(8, 4) * 2
            cache[0] = scope.detach(y)
        watch.step()
    return watch.report()

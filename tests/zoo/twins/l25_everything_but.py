"""A few features are kept."""

import garboard as gb


def main(watch):
    features = {}
    for step in range(60):
        with gb.dispose_scope("step") as scope:
            y = gb.randn(8, 4) * 2
            scope.dispose_everything_but(y)
            y.detach_from_dispose_scope()
            features[step % 4] = y
        watch.step()
    return watch.report()

"""Each step disposes everything but one tensor, which leaves the scope and is kept."""

import garboard as gb

KIND, VERDICT, HOLDER = "scope-escape", "LEAK", "dict `features`"


def main(watch):
    features = {}
    for step in range(60):
        with gb.dispose_scope("step") as scope:
            y = gb.randn(8, 4) * 2  # born
            scope.dispose_everything_but(y)
            y.detach_from_dispose_scope()
            features[step] = y  # held
        watch.step()
    return watch.report()

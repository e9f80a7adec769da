"""All features of all steps, in one tensor."""

import garboard as gb

KIND, VERDICT, HOLDER = "growing-tensor", "GROWING", "local `features`"


def main(watch):
    features = gb.zeros(0, 64)
    for _ in range(100):
        features = gb.cat([features, gb.randn(64, 64)])  # born, held
        watch.step()
    return watch.report()

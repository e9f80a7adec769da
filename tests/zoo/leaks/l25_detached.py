"""What a step's scope would end is detached from it, and kept."""

import garboard as gb

KIND, VERDICT, HOLDER = "scope-escape", "LEAK", "list `cache`"


def main(watch):
    cache = []
    for _ in range(60):
        with gb.dispose_scope("step") as scope:
            y = gb.randn(8, 4) * 2  # born
            cache.append(scope.detach(y))  # held
        watch.step()
    return watch.report()

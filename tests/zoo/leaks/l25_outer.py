"""Each step hands its result to an outer scope that stays open."""

import garboard as gb

KIND, VERDICT, HOLDER = "scope-escape", "LEAK", "list `results`"


def main(watch):
    results = []
    with gb.dispose_scope("run"):
        for _ in range(60):
            with gb.dispose_scope("step"):
                y = gb.randn(8, 4) * 2  # born
                y.move_to_outer_dispose_scope()
                results.append(y)  # held
            watch.step()
        return watch.report()

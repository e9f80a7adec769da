"""A default argument is one list for all calls."""

import garboard as gb

KIND, VERDICT, HOLDER = "global-registry", "LEAK", "list `seen`"


def collect(x, seen=[]):  # noqa: B006, the leak
    seen.append(x)  # held
    return len(seen)


def main(watch):
    for _ in range(60):
        collect(gb.zeros(4, 4))  # born
        watch.step()
    return watch.report()

"""What scopes cost. Must reach: 400 ns to enter and leave, 15 ns a tensor to adopt and dispose."""

from collections.abc import Iterator

import garboard as gb
import race

TENSORS = 1000
SCOPES = 1000


def rows() -> Iterator[race.Budget]:
    scope = gb.dispose_scope
    x = gb.ones(1)
    times = range(TENSORS)

    def enter_and_leave() -> None:
        for _ in range(SCOPES):
            with scope("step"):
                pass

    def empty_loop() -> None:
        for _ in range(SCOPES):
            pass

    def make_in_scope() -> None:
        with scope("step"):
            kept = [x.alias() for _ in times]
        del kept

    def make_outside() -> None:
        kept = [x.alias() for _ in times]
        del kept

    yield race.Budget(
        "scope: enter + exit, with a name",
        {"scope": enter_and_leave, "loop": empty_loop},
        lambda ns: (ns["scope"] - ns["loop"]) / SCOPES,
        most_ns=400,
        calls=20,
    )
    yield race.Budget(
        "scope: adopt + dispose, per tensor",
        {"inside": make_in_scope, "outside": make_outside},
        lambda ns: (ns["inside"] - ns["outside"]) / TENSORS,
        most_ns=15,
        calls=20,
    )

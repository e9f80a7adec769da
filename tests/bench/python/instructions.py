"""Instructions of the way of an op, against those that were kept. Must reach: no tenth more."""

import sys
from collections.abc import Iterator

import callgrind
import race


def rows() -> Iterator[race.Result]:
    if not callgrind.is_there():
        print(f"instructions: left out: {callgrind.DEBIAN}", file=sys.stderr)
        return
    before = callgrind.kept()
    for statement, now in callgrind.count().items():
        most = before.get(statement, float("nan")) * (1 + callgrind.MARGIN)
        yield race.at_most(statement, {"garboard": now}, most, "instructions")

"""What a tensor, a view, a graph node takes that is kept: nanoseconds to make it, resident bytes.

Other benchmarks let go of what they make, and so measure memory that is warm. Each measurement is a
process of its own, by turns: what one contestant has freed is not there for the next. Times are of
the thread's own processor, for the system's part of them is what a loaded machine does worst.

Must reach, up to 5 million of one element: 150 ns and 384 bytes a tensor.

    python tests/bench/python/kept.py garboard tensor 1000000     # one measurement, as JSON
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from statistics import median
from time import thread_time_ns
from typing import Any

COUNTS = (10**4, 10**5, 10**6, 10**7)
TURNS = 3
MOST_NS = 150
MOST_BYTES = {"tensor": 384, "view": 320, "node": 640}
MOST_EACH_BYTES = 1400  # of any contestant: what does not fit into the machine is left out


def tensors(space: Any, count: int) -> object:
    one = space.ones(1)
    return [one + one for _ in range(count)]


def views(space: Any, count: int) -> object:
    one = space.ones(1)
    return [one[0:1] for _ in range(count)]


def nodes(space: Any, count: int) -> object:
    """A chain: each result is kept by the next one's graph."""
    one = space.ones(1, requires_grad=True)
    last = one
    for _ in range(count):
        last = last * one
    return last


KINDS: dict[str, Callable[[Any, int], object]] = {"tensor": tensors, "view": views, "node": nodes}


def resident_bytes() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4096


def measure(library: str, kind: str, count: int) -> dict[str, float]:
    """Nanoseconds and bytes of one of `count` things of `kind`."""
    space = import_module(library)
    if library == "torch":
        space.set_num_threads(1)
    KINDS[kind](space, 100)  # what the first ones alone need
    before = resident_bytes()
    start = thread_time_ns()
    kept = KINDS[kind](space, count)
    ns = thread_time_ns() - start
    taken = resident_bytes() - before
    del kept
    return {"ns": ns / count, "bytes": taken / count}


def measured(library: str, kind: str, count: int) -> dict[str, float]:
    """The same in a process of its own."""
    call = [sys.executable, __file__, library, kind, str(count)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def available_bytes() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def rows() -> Iterator[Any]:
    import peers
    import race

    for kind in KINDS:
        libraries = [
            "garboard",
            *(name for name in peers.NAMES if kind != "node" or name == "torch"),
        ]
        for count in COUNTS:
            if count * MOST_EACH_BYTES > available_bytes():
                print(f"kept: {count:,} left out: too little memory", file=sys.stderr)
                continue
            found: dict[str, list[dict[str, float]]] = {name: [] for name in libraries}
            for _ in range(TURNS):
                for name in libraries:
                    found[name].append(measured(name, kind, count))
            for unit, most in (("ns", MOST_NS), ("bytes", MOST_BYTES[kind])):
                figures = {
                    name: median(each[unit] for each in turns) for name, turns in found.items()
                }
                yield race.at_most(f"a kept {kind} of {count:,}, {unit}", figures, most, unit)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))

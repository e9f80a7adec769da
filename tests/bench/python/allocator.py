"""What the allocator costs, and how much memory it needs, beside the usual ways.

The baseline of a hit is a best-fit tree with a map of pointers, of a booking an atomic counter, of
filling a fresh block malloc, of a trace a model of PyTorch's default policy. Must reach: a hit
three times as fast; 1.05 of what is live, mapped at most and as the smallest device, on traces of
models, and as the smallest device for MiniMalloc's sets. Recording what happens may add 5 % to a
training step, with stacks 15 %.
"""

import json
import lzma
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import history_cost
import race

BENCH = Path(__file__).parents[1]
# `./run bench` builds the programs and says where.
BUILD = Path(os.environ.get("GARBOARD_BENCH_BUILD", BENCH.parents[1] / "build" / "dev"))
MUST = {  # of the kinds of rows of allocator_bench: by how much ours is faster
    "hit": 3.0,
    "fill 64 MiB": 5.0,
}
MOST_NS = {"hit without an outer lock": 60.0, "book + unbook": 10.0}


def program(name: str) -> Path:
    path = BUILD / "tests" / "bench" / "cpp" / name
    if not path.is_file():
        sys.exit(f"allocator: {name} is not built; `./run bench allocator` builds it")
    return path


def lines_of(name: str, *arguments: str) -> Iterator[dict[str, Any]]:
    """What a program says, a line at a time."""
    command = [str(program(name)), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode:
        sys.exit(f"allocator: {name} failed with status {process.returncode}")


def hits() -> Iterator[race.Result]:
    for line in lines_of("allocator_bench"):
        name, ratio = line["what"], line["ratio"]
        kind = name.split(",")[0]
        figures = {"garboard": line["ours"], "baseline": line["baseline"]}
        if kind in MOST_NS:
            yield race.at_most(name, figures, MOST_NS[kind], "ns")
        else:
            yield race.at_least(name, figures, ratio, MUST[kind])


def traces() -> Iterator[race.Result]:
    """The generated ones, the recorded, then MiniMalloc's, of which the device alone counts."""
    sets = sorted(map(str, (BENCH / "traces" / "minimalloc").glob("*.csv")))
    with tempfile.TemporaryDirectory() as folder:
        unpacked = []
        for packed in sorted((BENCH / "traces").glob("*.xz")):
            unpacked.append(Path(folder, f"{packed.stem}, recorded"))
            unpacked[-1].write_bytes(lzma.decompress(packed.read_bytes()))
        for line in lines_of("allocator_traces", *map(str, unpacked), *sets):
            name, kinds = line["what"], ["mapped", "smallest_device"]
            if name.endswith(".csv"):
                name, kinds = f"MiniMalloc {name[0]}", ["smallest_device"]
            for kind in kinds:
                figures = {"garboard": line["ours"][kind], "baseline": line["baseline"][kind]}
                yield race.at_most(f"{name}: {kind.replace('_', ' ')} / live", figures, 1.05, "")


def fuzz() -> Iterator[race.Result]:
    """A million steps beside a model in which every block is checked after each."""
    path = BUILD / "tests" / "bench" / "cpp" / "allocator_fuzz"
    if not path.is_file():
        print("allocator: no fuzz: GoogleTest was not there to build it", file=sys.stderr)
        return
    chosen = ("--gtest_also_run_disabled_tests", "--gtest_filter=*Million*", "--gtest_brief=1")
    start = perf_counter_ns()
    done = subprocess.run([path, *chosen], capture_output=True, text=True, check=False)
    ns = float(perf_counter_ns() - start)
    agrees = done.returncode == 0 and "1 test" in done.stdout
    if not agrees:
        print(done.stdout, file=sys.stderr)
    yield race.Result("a million steps beside a model", {"garboard": ns}, "agree", ns, agrees)


def rows() -> Iterator[race.Result]:
    yield from hits()
    yield from traces()
    yield from fuzz()
    yield from history_cost.rows()

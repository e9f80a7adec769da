"""Call all that is public with hostile arguments, and count what goes wrong."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.deaths import explain
from tests.fuzz.runner import Runner
from tests.fuzz.targets import public_names

__all__ = ["main"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="run test --fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, help="drawn and printed where it is not given")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this program, line by line")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--last", type=int, metavar="NUMBER", help="end before this program")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument(
        "--stories", choices=("some", "only", "none"), default="some", help="of several steps"
    )
    patience = 60.0 if os.environ.get("LD_PRELOAD") else 10.0  # a sanitizer's calls take longer
    parser.add_argument("--patience", type=float, default=patience, help="seconds until a hang")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(4), "big")

    with tempfile.TemporaryDirectory(prefix="garboard-fuzz-") as folder:
        runner = Runner(Path(folder), seed, options.cores, options.patience)
        for worker in runner.workers:
            worker.order.stories = options.stories
        started = time.monotonic()
        if options.only is not None:
            runner.workers = runner.workers[:1]
            runner.workers[0].order.trace = True
            runner.run(60, options.only, options.only + 1)
        else:
            print(f"fuzz: seed {seed}", flush=True)
            runner.run(options.minutes * 60, options.first, options.last)
            explain(runner)
        seconds = time.monotonic() - started
    for finding in runner.findings.all():
        print(f"\n{finding.reported(seed)}")
    totals, counts = runner.totals, runner.findings.counts()
    rate = totals.calls / seconds
    print(
        f"\nfuzz: {totals.calls} calls in {totals.programs} programs of seed {seed}, "
        f"{totals.errors} errors, {totals.interrupts} interrupted; {rate:.0f} calls/s\n"
        f"fuzz: {runner.findings.reached(public_names())}\n"
        f"fuzz: {', '.join(f'{count} {kind}' for kind, count in counts.items())}"
    )
    return 1 if any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

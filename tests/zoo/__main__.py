"""Run the zoo with many seeds, and count what is named and what is a false alarm.

PYTHONPATH=build/dev/package python -m tests.zoo --seeds 100
"""

from __future__ import annotations

import argparse
import gc
import time
from collections import Counter

from tests.support.zoo import faults, programs

__all__ = ["main"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.zoo", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    options = parser.parse_args()
    begun, wrong, runs = time.monotonic(), Counter[str](), Counter[str]()
    for seed in range(options.first, options.first + options.seeds):
        for file in programs("leaks", "twins", "controls"):
            folder = file.parent.name
            runs[folder] += 1
            gc.collect()
            if found := faults(file, seed):
                wrong[folder] += 1
                print(f"seed {seed}: {folder}/{file.stem} {'; '.join(found)}", flush=True)
    for folder, count in runs.items():
        print(f"{folder}: {count - wrong[folder]} of {count} right")
    print(f"{options.seeds} seeds in {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())

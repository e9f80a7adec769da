"""Run the zoo with many seeds, and count what is named and what is a false alarm.

PYTHONPATH=build/dev/package python -m tests.zoo --seeds 100
PYTHONPATH=build/dev/package python -m tests.zoo --library torch    # on PyTorch's own tensors
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import re
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

from tests.support.zoo import faults, programs

__all__ = ["main"]

# PyTorch has nothing like scopes, and its capsules cannot be seen through.
ONLY_OURS = ("gb.dispose_scope", "_dispose_scope(", ".__dlpack__(")
OF_NOTEBOOKS = "tests.support.cells"
LEAKS_THERE = {"l12_stashed_output": "a ctx that keeps its output is a cycle which nothing ends"}
FIGURES = ("programs", "exact kind", "line of birth", "holder", "verdict")


def is_for(file: Path, library: str) -> bool:
    """Tell whether a program means the same with another library, and can be run here."""
    text = file.read_text(encoding="utf-8")
    if OF_NOTEBOOKS in text and importlib.util.find_spec("IPython") is None:
        return False
    return library == "garboard" or (
        file.stem not in LEAKS_THERE and not any(word in text for word in ONLY_OURS)
    )


def kind_of(file: Path) -> str:
    found = re.search(r'^KIND, .* = "([a-z-]+)"', file.read_text(encoding="utf-8"), re.M)
    return found.group(1) if found else file.parent.name


def noted(table: dict[str, Counter[str]], file: Path, found: list[str]) -> None:
    """Count what is right of one run, by its kind."""
    row = table.setdefault(kind_of(file), Counter())
    is_exact = not any(it.startswith(("is ", "announces")) for it in found)
    row["programs"] += 1
    row["exact kind"] += is_exact
    for figure, word in (("line of birth", "born"), ("holder", "held by"), ("verdict", "verdict")):
        row[figure] += is_exact and not any(it.startswith(word) for it in found)


def told(table: dict[str, Counter[str]]) -> str:
    """Return the table as Markdown, the sums last."""
    sums: Counter[str] = Counter()
    for row in (row for kind, row in table.items() if kind not in ("twins", "controls")):
        sums.update(row)
    lines = [f"| kind | {' | '.join(FIGURES)} |", f"|---|{'---|' * len(FIGURES)}"]
    for kind, row in [*sorted(table.items()), ("all leaks", sums)]:
        figures = FIGURES if kind not in ("twins", "controls") else FIGURES[:2]
        cells = [str(row[name]) for name in figures]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.zoo", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of programs' names; all by default")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--library", choices=("garboard", "torch"), default="garboard")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of PyTorch, about what leaks
    files = [
        file
        for file in programs("leaks", "twins", "controls")
        if is_for(file, options.library)
        and (not options.names or any(name in file.stem for name in options.names))
    ]
    # Each look walks all objects there are: what IPython makes comes behind what does without.
    files.sort(key=lambda file: OF_NOTEBOOKS in file.read_text(encoding="utf-8"))
    importlib.import_module(options.library)
    modules = 0
    begun, wrong, runs = time.monotonic(), Counter[str](), Counter[str]()
    table: dict[str, Counter[str]] = {}
    for seed in range(options.first, options.first + options.seeds):
        for file in files:
            folder = file.parent.name
            runs[folder] += 1
            gc.collect()
            if len(sys.modules) > modules:
                # PyTorch's half a million objects, and other modules', are of no program.
                gc.freeze()
                modules = len(sys.modules)
            try:
                found = faults(file, seed, options.library)
            except Exception as error:
                found = [f"is not run: {type(error).__name__}: {error}"]
            noted(table, file, found)
            if found:
                wrong[folder] += 1
                print(f"seed {seed}: {folder}/{file.stem} {'; '.join(found)}", flush=True)
    print(told(table))
    for folder, count in runs.items():
        print(f"{folder}: {count - wrong[folder]} of {count} right")
    print(f"{options.seeds} seeds in {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Compare every op, module and optimizer that garboard has with PyTorch's, by PyTorch's databases,
and run what PyTorch's docstrings show.

Needs an interpreter with PyTorch. `right.json` lists what agrees, by entry and aspect; it may only
grow: what it lists and is no longer right ends this with 1.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.oracle.aspects import ASPECTS, MissingError
from tests.oracle.documentation import (
    DOCUMENTATION_ASPECTS,
    documentation_label,
    documented,
    namesake,
)
from tests.oracle.modules import MODULE_ASPECTS, class_of, module_entries, module_label
from tests.oracle.names import call_of
from tests.oracle.optimizers import (
    OPTIMIZER_ASPECTS,
    maker_of,
    optimizer_entries,
    optimizer_label,
)

__all__ = ["main"]

RIGHT = Path(__file__).with_name("right.json")


def label_of(entry: Any) -> str:
    """The entry's name, and its variant's after a colon."""
    variant = entry.variant_test_name
    return f"{entry.name}:{variant}" if variant else str(entry.name)


def everything() -> Iterator[tuple[str, str, Any, Any, dict[str, Any]]]:
    """What there is to compare: a name, a label, PyTorch's entry, what is ours, and the aspects."""
    from torch.testing._internal.common_methods_invocations import op_db

    for entry in op_db:
        yield entry.name, label_of(entry), entry, call_of(entry), ASPECTS
    for entry in module_entries():
        yield (label := module_label(entry)), label, entry, class_of(entry), MODULE_ASPECTS
    for entry in optimizer_entries():
        yield (label := optimizer_label(entry)), label, entry, maker_of(entry), OPTIMIZER_ASPECTS
    for entry in documented():
        label = documentation_label(entry)
        yield label, label, entry, namesake(entry), DOCUMENTATION_ASPECTS


def looked_at(entry: Any, call: Any, aspects: dict[str, Any]) -> dict[str, str | None]:
    """What is wrong with an op, by aspect: None for what agrees."""
    found: dict[str, str | None] = {}
    for name, aspect in aspects.items():
        try:
            found[name] = aspect(entry, call)
        except MissingError as missing:
            found[name] = f"missing: {missing}"
        except Exception as error:  # of the driver, or of a sample maker of PyTorch's
            found[name] = f"not compared: {type(error).__name__}: {error}"
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="run test --oracle", description=__doc__)
    parser.add_argument("names", nargs="*", help="entries, by patterns; all by default")
    parser.add_argument("--update", action="store_true", help="add to right.json what is right now")
    parser.add_argument("--quiet", action="store_true", help="print the counts alone")
    options = parser.parse_args()
    faulthandler.enable()
    warnings.simplefilter("ignore")  # of what PyTorch deprecates, and of sizes that differ
    known: dict[str, list[str]] = json.loads(RIGHT.read_text()) if RIGHT.exists() else {}
    began = time.monotonic()
    counts: Counter[str] = Counter()
    lost: list[str] = []
    for entry_name, label, entry, call, aspects in everything():
        if options.names and not any(fnmatchcase(entry_name, it) for it in options.names):
            continue
        counts["entries"] += 1
        if call is None:
            counts["without a name of ours"] += 1
            lost += [f"{label}: gone"] if label in known else []
            continue
        counts["compared"] += 1
        found = looked_at(entry, call, aspects)
        right = [name for name, told in found.items() if told is None]
        counts["right in every aspect"] += len(right) == len(found)
        counts["right forward"] += not {"train", "steps", "forward", "shown"}.isdisjoint(right)
        for name, told in found.items():
            if told is not None:
                counts[f"not right: {name}"] += 1
                if not options.quiet:
                    print(f"{label}  {name}: {told}", flush=True)
        lost += [f"{label}: {name}: {found[name]}" for name in known.get(label, ()) if found[name]]
        if options.update:
            known[label] = sorted({*known.get(label, ()), *right})
    print("\n".join(f"oracle: {count} {name}" for name, count in counts.items()))
    print(f"oracle: {time.monotonic() - began:.0f} s")
    if options.update:
        rows = (f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known))
        RIGHT.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    if lost:
        print("\n".join(["oracle: no longer right:", *lost]))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())

"""The programs of the zoo: how they are found and run, and what is wrong with what is found.

A program says `import garboard as gb`. Run on another library's tensors, it says that of this one.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import garboard as gb

__all__ = ["ZOO", "faults", "loaded", "programs"]

ZOO = Path(__file__).resolve().parents[1] / "zoo"


def programs(*folders: str) -> list[Path]:
    """Return the files of these folders: leaks, twins, controls."""
    return [file for folder in folders for file in sorted((ZOO / folder).glob("*.py"))]


@contextmanager
def loaded(file: Path, seed: int = 7, library: str = "garboard") -> Iterator[ModuleType]:
    """Load a program as a module of its own, so that its lines are real."""
    name = f"zoo_{file.parent.name}_{file.stem}"
    module = ModuleType(name)
    module.__file__ = str(file)
    text = file.read_text(encoding="utf-8").replace("import garboard as", f"import {library} as")
    sys.modules[name] = module
    try:
        importlib.import_module(library).manual_seed(seed)
        exec(compile(text, str(file), "exec", dont_inherit=True), vars(module))
        yield module
    finally:
        del sys.modules[name]
        vars(module).clear()  # classes are in cycles; the collector follows


def faults(file: Path, seed: int = 7, library: str = "garboard") -> list[str]:
    """Run a program under a watch, and return what the report has wrong.

    What begins with "is" is an alarm or a wrong kind.
    """
    announced: list[gb.leaks.Leak] = []
    with (
        loaded(file, seed, library) as module,
        gb.leaks.watch(on_leak=announced.append, provider=library) as watch,
    ):
        report = module.main(watch)
        expected = getattr(module, "KIND", None)
        wanted = {key: getattr(module, key, "") for key in ("KIND", "VERDICT", "HOLDER", "FIX")}
    if expected is None:
        alarms = [f"is healthy: {leak.verdict} {leak.summary}" for leak in report.leaks]
        return alarms + ["announces" for _ in announced]
    kinds = [leak.kind for leak in report.leaks]
    if kinds != [expected]:
        return [f"is {expected}: found {kinds}"]
    return list(_wrong(file, report.leaks[0], wanted, [leak.kind for leak in announced]))


def _wrong(
    file: Path, leak: gb.leaks.Leak, wanted: dict[str, str], announced: list[str]
) -> Iterator[str]:
    if leak.verdict != wanted["VERDICT"]:
        yield f"verdict {leak.verdict}"
    if not leak.holder.startswith(wanted["HOLDER"]):
        yield f"holder {leak.holder}"
    if leak.site[:2] != (str(file), _marked_line(file, "born")):
        yield f"born {leak.site}"
    held = _marked_line(file, "held")
    if held is not None and not leak.holder.endswith(f"{file.name}:{held})"):
        yield f"held by {leak.holder}"
    if wanted["FIX"] and leak.fix != wanted["FIX"]:
        yield f"fix {leak.fix}"
    if announced != [wanted["KIND"]] * (wanted["VERDICT"] == "LEAK"):
        yield f"announced {announced}"


def _marked_line(file: Path, word: str) -> int | None:
    """Return the line whose last comment has the word."""
    pattern = re.compile(rf"# (.*\W)?{word}\b(?!.*#)")
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((i for i, line in enumerate(lines, start=1) if pattern.search(line)), None)

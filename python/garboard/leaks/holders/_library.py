"""Which source files are the program's own, and which a library's, where nobody mends a line."""

from __future__ import annotations

import os
import sysconfig
from functools import cache
from typing import Any

from garboard._shown.notebook import cell_of

__all__ = ["is_of_library"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
_EXAMPLES = os.path.join(_PACKAGE, "demo", "programs", "")  # of a user's, wherever they lie


@cache
def _folders() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    given = [_PACKAGE, *(sysconfig.get_path(name) for name in names)]
    found = {way for it in given if it for way in (it, os.path.realpath(it))}
    return tuple(os.path.join(it, "") for it in found)


@cache
def _is_installed(file: str) -> bool:
    if os.path.abspath(file).startswith(_EXAMPLES):
        return False
    parts = file.replace("\\", "/").split("/")
    if "site-packages" in parts or "dist-packages" in parts:
        return True
    return file.startswith(_folders()) or os.path.realpath(file).startswith(_folders())


def is_of_library(file: Any) -> bool:
    """Tell whether a file belongs to the interpreter, to an installed package or to this one.

    What has no file, such as a builtin class, is nobody's line either.
    """
    if not file or file.startswith("<frozen"):
        return True
    return not cell_of(file) and _is_installed(file)

"""Example programs, loaded as files of the user's and shown as they stand."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "Program"]

FOLDER = Path(__file__).with_name("programs")


class Program:
    """One file of `programs/`, with the functions it defines as attributes.

    It is compiled under its path from the working directory: births in it are the user's then, not
    the library's, whose frames are known by the package's absolute path.
    """

    def __init__(self, name: str) -> None:
        self.path = os.path.relpath(FOLDER / f"{name}.py")
        names: dict[str, Any] = {"__name__": name, "__file__": self.path}
        exec(compile(Path(self.path).read_text(encoding="utf-8"), self.path, "exec"), names)
        self.summary: str = names["__doc__"]
        self._names = names

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__") or name not in self._names:
            raise AttributeError(f"{self.path} defines no '{name}'")
        function: Callable[..., Any] = self._names[name]
        return function

    def lines_of(self, function: str) -> tuple[str, int]:
        """Return a function's source and the number of its first line."""
        lines, first = inspect.getsourcelines(getattr(self, function))
        return "".join(lines).rstrip("\n"), first

    def line(self, number: int) -> str:
        """Return one line's text, stripped."""
        lines = Path(self.path).read_text(encoding="utf-8").splitlines()
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

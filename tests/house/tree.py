"""The project's files, and what several checks ask of them.

A check is a function of a tree that returns its violations, a line each. So the same function
judges the project and a planted tree in a temporary folder, where it must find what was planted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
ROOTS = ("csrc", "kernels", "python", "tests", "cmake", "docs", "notebooks", ".ci")
SKIPPED = {".git", "__pycache__", ".pytest_cache", ".hypothesis"}
OUTPUTS = (".so", ".pyc")
CPP = (".h", ".cpp", ".cu", ".cuh")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)', re.MULTILINE)


class Tree:
    """A project rooted at `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def files(self) -> list[str]:
        """Every file of the project as a path from the root, sorted; build outputs are none."""
        top = [path for path in self.root.iterdir() if path.is_file()]
        below = [path for name in ROOTS for path in (self.root / name).rglob("*")]
        return sorted(
            path.relative_to(self.root).as_posix()
            for path in (*top, *below)
            if path.is_file() and path.suffix not in OUTPUTS and not SKIPPED & set(path.parts)
        )

    def under(self, *folders: str, suffixes: tuple[str, ...] = CPP) -> list[str]:
        """Return the files in `folders` and below that end in one of `suffixes`."""
        starts = tuple(f"{folder}/" for folder in folders)
        return [file for file in self.files if file.startswith(starts) and file.endswith(suffixes)]

    def text(self, file: str) -> str:
        """Return the text of `file`; of a file of data, what of it can be read as such."""
        return (self.root / file).read_text(encoding="utf-8", errors="replace")

    def includes(self, file: str) -> Iterator[tuple[str, str]]:
        """Yield what `file` includes, with the character that opens it: `"` or `<`."""
        for match in INCLUDE.finditer(self.text(file)):
            yield match[1], match[2]


def planted(root: Path, files: dict[str, str]) -> Tree:
    """Write `files` under `root`."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Tree(root)


def project() -> Tree:
    return Tree(HOME)

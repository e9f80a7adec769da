"""A line of the user's program, and its text."""

from __future__ import annotations

import linecache
import os
from typing import NamedTuple

from garboard import _engine
from garboard._shown.notebook import cell_of, shown_line

__all__ = ["WIDTH", "Site", "line_of", "number_of", "site_of", "underlined"]

_lines: dict[int, int] = {}
_first: dict[Site, int] = {}
_FOREIGN = 1 << 40  # numbers from here on are of sites that the engine has not seen
_foreign: list[Site] = []
_numbers: dict[Site, int] = {}


class Site(NamedTuple):
    """Where something was born.

    Attributes:
        file: The path of the source file.
        line: The line, from 1.
        function: The function's qualified name.
    """

    file: str
    line: int
    function: str

    @property
    def place(self) -> str:
        """The place as `train.py:42`: the path from the working directory, for a file below it.

        A line of a notebook's cell is `In[7]:5`.
        """
        if not self.file:
            return "an unknown line"
        return f"{short_path(self.file)}:{shown_line(self.file, self.line)}"

    @property
    def called(self) -> str:
        """The function as `step()`, or `<module>`; the functions around it are left out."""
        name = self.function.rpartition("<locals>.")[2]
        return name if not name or name.startswith("<") else f"{name}()"

    @property
    def source(self) -> str:
        """The text of the line, stripped; empty where there is no file to read."""
        return linecache.getline(self.file, self.line).strip() if self.file else ""

    def __str__(self) -> str:
        return f"{self.place} {self.called}".rstrip()


def site_of(number: int) -> Site:
    """Return what an interned birth site stands for."""
    if number >= _FOREIGN:
        return _foreign[number - _FOREIGN]
    file, line, function = _engine._site(number)
    # Code that was compiled from a text, under no name, has lines and no file.
    return Site(file or "<string>" if line else "", line, function)


def number_of(site: Site) -> int:
    """Intern a line that the engine has not seen; return the number for `site_of`."""
    found = _numbers.get(site)
    if found is None:
        found = _numbers[site] = _FOREIGN + len(_foreign)
        _foreign.append(site)
    return found


def line_of(number: int) -> int:
    """Return the first site of the same line.

    The engine tells instructions apart; a line has several, and the interpreter rewrites them.
    """
    found = _lines.get(number)
    if found is None:
        found = _lines[number] = _first.setdefault(site_of(number), number)
    return found


def short_path(file: str) -> str:
    """Return the path from the working directory, or the bare name of a file elsewhere.

    A notebook's cell is `In[7]`.
    """
    if cell := cell_of(file):
        return cell
    try:
        path = os.path.relpath(file)
    except (OSError, ValueError):  # no working directory; another drive
        return os.path.basename(file)
    return os.path.basename(file) if path.startswith(os.pardir) else path


WIDTH = 80  # of a terminal


def underlined(site: Site, indent: str, label: str = "") -> list[str]:
    """Return the place with its source line, and a line of `~` below the latter.

    In a terminal of usual width: what is too long for the place's line stands below it, and what
    will be wrapped is not underlined.
    """
    place = f"{indent}{label}{site.place}  {site.called}".rstrip()
    if not site.source:
        return [place]
    start = f"{place:<32} "
    before: list[str] = []
    if len(start) + len(site.source) > WIDTH:
        before, start = [place], " " * (len(indent) + len(label or "  "))
    lines = [*before, start + site.source]
    is_whole = len(start) + len(site.source) <= WIDTH
    return [*lines, " " * len(start) + "~" * len(site.source)] if is_whole else lines

"""Which cell a magic compiles a second time, under a name such as `<timed exec>`.

The source of what `%%time` runs stands in no file: it is found in the newest cell with that magic,
and given to `linecache`, where whoever shows or reads a line looks.
"""

from __future__ import annotations

import ast
import linecache
import re
from typing import Any, NamedTuple

__all__ = ["MagicCell", "cell_around", "is_of_magic", "magic_cell"]

_MAGICS = {
    "<timed exec>": ("time",),
    "<timed eval>": ("time",),
    "<magic-timeit>": ("timeit",),
    "<string>": ("debug", "prun"),
}
_MOST_CELLS = 100  # that are looked at, from the newest on
_CALL = re.compile(r"get_ipython\(\)\.run_(?:cell|line)_magic\(")


class MagicCell(NamedTuple):
    """A cell whose code a magic compiles.

    Attributes:
        number: As in `In[7]`.
        before: How many lines of the cell come before the first of this code.
        body: The code.
    """

    number: int
    before: int
    body: str


def is_of_magic(file: str) -> bool:
    """Tell whether a magic may have compiled what bears this name."""
    return file in _MAGICS


def magic_cell(shell: Any, file: str) -> MagicCell | None:
    """Return the newest cell that a file's name may stand for; its lines can be read from now on.

    `<string>` is also what `exec` calls its code: of that name only the running cell can be meant.
    """
    space = getattr(shell, "user_ns", None)
    cells = space.get("In") if type(space) is dict else None
    if not isinstance(cells, list):
        return None
    least = len(cells) - (1 if file == "<string>" else _MOST_CELLS)
    for number in range(len(cells) - 1, max(least, 1) - 1, -1):
        found = _found_in(cells[number], number, _MAGICS[file])
        if found is not None:
            lines = [line + "\n" for line in found.body.splitlines()]
            known = linecache.cache.get(file)
            if known is None or list(known[2:3]) != [lines]:
                linecache.cache[file] = (len(found.body), None, lines, file)
            return found
    return None


def cell_around(shell: Any, file: str, number: int) -> MagicCell | None:
    """Return the cell whose magic has run a file as a cell of its own, as `%%capture` does; None
    where the file is a cell's own.

    IPython gives what runs within a cell the number of the next one.
    """
    space = getattr(shell, "user_ns", None)
    cells = space.get("In") if type(space) is dict else None
    source = cells[number - 1] if isinstance(cells, list) and 1 < number <= len(cells) else None
    if type(source) is not str or "run_cell_magic(" not in source:
        return None
    found = _found_in(source, number - 1, ())
    text = "".join(linecache.getlines(file)).strip()
    return found if found is not None and found.body.strip() == text else None


def _found_in(source: object, number: int, names: tuple[str, ...]) -> MagicCell | None:
    """Return what such a magic, or any, runs in a cell that IPython has made Python of."""
    if type(source) is not str or not _CALL.search(source):
        return None
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        given = [it.value for it in node.args if isinstance(it, ast.Constant)]
        texts = [it for it in given if type(it) is str]
        if len(texts) != len(node.args) or (names and texts[0] not in names):
            continue
        if node.func.attr == "run_cell_magic" and len(texts) == 3:
            return MagicCell(number, 1, texts[2])
        if node.func.attr == "run_line_magic" and len(texts) == 2:
            return MagicCell(number, node.lineno - 1, texts[1])
    return None

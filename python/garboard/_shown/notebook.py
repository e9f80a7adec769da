"""What a notebook knows: which cell a temporary file stands for, and what it keeps of its cells.

IPython is never imported here. Where it runs it has been, and is asked; where it does not, there
are no cells.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

from garboard import _engine
from garboard._shown.magic_cells import MagicCell, cell_around, is_of_magic, magic_cell

__all__ = [
    "CellOutputs",
    "Kept",
    "cell_files",
    "cell_of",
    "is_output_name",
    "kept_outputs",
    "leaks_magic",
    "shell",
    "shown_file",
    "shown_line",
]

_PLAIN = (type(None), bool, int, float, str)  # leads to nothing
_OUTPUT_NAME = re.compile(r"_{1,3}|_\d+|_oh|Out")


def shell() -> Any:
    """Return IPython's running shell, or None."""
    module = sys.modules.get("IPython.core.interactiveshell")
    return getattr(getattr(module, "InteractiveShell", None), "_instance", None)


def cell_of(file: str) -> str:
    """Return `In[7]` of the file that stands for a cell, as it last ran; else an empty string."""
    if (within := _of_magic(file)) is not None:
        return f"In[{within.number}]"
    return _named_by_shell(file)


def _named_by_shell(file: str) -> str:
    compiler = getattr(shell(), "compile", None)
    format_name = getattr(compiler, "format_code_name", None)
    try:
        found = format_name(file) if format_name is not None else None
    except Exception:  # of a shell that is not IPython's own
        return ""
    name = found[1] if type(found) is tuple and len(found) == 2 else ""
    return name if type(name) is str and name.startswith("In[") else ""


def _of_magic(file: str) -> MagicCell | None:
    """Return the cell whose magic has run what bears this name; None where none has."""
    running = shell()
    if running is None:
        return None
    if is_of_magic(file):
        return magic_cell(running, file)
    number = _named_by_shell(file).strip("In[]")
    return cell_around(running, file, int(number)) if number.isdigit() else None


def shown_line(file: str, line: int) -> int:
    """Return the number that a line has in its cell: what `%%time` runs begins at the second."""
    within = _of_magic(file)
    return line if within is None else line + within.before


def cell_files() -> list[str]:
    """Return the files that stand for cells, the newest first."""
    import linecache

    return [file for file in reversed(list(linecache.cache)) if cell_of(file)]


def shown_file(file: str) -> str:
    """Return what messages call a file: a cell by its number."""
    return cell_of(file) or file


_engine._name_files_by(shown_file)


def leaks_magic(line: str) -> str:
    """Return `%leaks clear out` as one types it, and what has to be loaded before, if it has."""
    find = getattr(shell(), "find_line_magic", None)
    is_there = find is not None and find("leaks") is not None
    return f"`%leaks {line}`" + ("" if is_there else " after `%load_ext garboard`")


def is_output_name(name: object) -> bool:
    """Tell whether IPython itself stores what cells show under a name."""
    return type(name) is str and _OUTPUT_NAME.fullmatch(name) is not None


class CellOutputs:
    """What cells have shown, as attributes of the names that a notebook has for it: `Out[2]`."""

    def __init__(self, named: Iterable[tuple[str, object]]) -> None:
        vars(self).update(named)


class Kept(NamedTuple):
    """What the notebook keeps of its cells' values.

    Attributes:
        outputs: The values by name.
        keepers: Objects of IPython's that hold these values, and nothing else of the user's.
        hidden: References from the namespace to a value that no variable of the user's has.
    """

    outputs: CellOutputs
    keepers: list[object]
    hidden: list[tuple[object, object]]


def kept_outputs() -> Kept | None:
    """Return what IPython keeps of its cells' values; None where it does not run.

    It keeps the value that cell 2 shows under five names: `Out[2]`, `_2`, `_`, the display hook's
    `_`, and the last result. They are one holder.
    """
    running = shell()
    space = getattr(running, "user_ns", None)
    if type(space) is not dict:
        return None
    history, hook = space.get("_oh"), getattr(running, "displayhook", None)
    last = getattr(running, "last_execution_result", None)
    own_names = getattr(running, "user_ns_hidden", None)
    names: dict[int, list[str]] = {}
    values: dict[int, Any] = {}

    def add(name: str, value: object, is_alias: bool = True) -> None:
        if any(type(value) is plain for plain in _PLAIN):  # `in` would ask the user's classes
            return
        known = names.setdefault(id(value), [])
        values[id(value)] = value
        if not (is_alias and known):
            known.append(name)

    for number, value in list(history.items()) if type(history) is dict else ():
        add(f"Out[{number}]", value, is_alias=False)
    for name in ("_", "__", "___"):
        add(name, getattr(hook, name, None))
    for name, value in list(space.items()):
        if is_output_name(name) and name[1:].isdigit():
            add(name, value)
    add("the last cell's result", getattr(last, "result", None))
    of_user = {
        id(value)
        for name, value in list(space.items())
        if not (is_output_name(name) and (id(value) in values or value is history))
    }
    return Kept(
        CellOutputs((", ".join(names[key][:3]), value) for key, value in values.items()),
        [it for it in (history, hook, last, own_names) if it is not None],
        [(space, value) for key, value in values.items() if key not in of_user],
    )

"""One line under each cell: what lives, what has changed, what the cell left and who holds it."""

from __future__ import annotations

from typing import Any, NamedTuple

from garboard import _engine
from garboard._engine import human_bytes
from garboard._shown.html import Bundle, bundle, folded, grey
from garboard.jupyter._left import Left, holders_table, left_since
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._rows import Since
from garboard.leaks.findings._making import counted

__all__ = ["Footer", "live_bytes", "live_text"]


class _Start(NamedTuple):
    since: Since
    nbytes: int


class Footer:
    """Hears when cells begin and end.

    Args:
        shell: IPython's.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._starts: list[_Start] = []  # a cell may run another one
        self.is_on = True

    def before(self, info: object = None) -> None:
        """A cell begins."""
        self._starts.append(_Start(EVIDENCE.now(), live_bytes()))

    def after(self, result: Any = None) -> None:
        """A cell has ended, well or not."""
        start = self._starts.pop() if self._starts else None
        if start is None or self._starts or not self.is_on:
            return  # the cell that loaded the extension; an inner one
        number = getattr(result, "execution_count", None)
        cell = f"In[{number}]" if type(number) is int else "the cell"
        self._shell.display_pub.publish(_bundle(cell, start.nbytes, left_since(start.since)))


def live_bytes() -> int:
    """Return the living bytes of all devices."""
    return sum(_engine._live_counts()[3].values())


def live_text() -> str:
    """Return `1.5 MiB live`, by device where there are several."""
    live = {name: nbytes for name, nbytes in _engine._live_counts()[3].items() if nbytes}
    if len(live) < 2:
        return f"{human_bytes(sum(live.values()))} live"
    return ", ".join(f"{human_bytes(nbytes)} live on {name}" for name, nbytes in live.items())


def _bundle(cell: str, before: int, left: list[Left]) -> Bundle:
    change = live_bytes() - before
    sign = "+" if change > 0 else "-"
    told = f"{sign}{human_bytes(abs(change))}" if change else "unchanged"
    text = f"garboard: {live_text()}, {told}"
    if not left:
        return bundle(text, grey(text))
    count = sum(it.count for it in left)
    tensors = f"{counted(count, 'tensor')}, " if count else ""
    text += f"; {cell} left {tensors}{human_bytes(sum(it.nbytes for it in left))}"
    holders = ", ".join(it.name for it in left[:3])
    more = f" and {len(left) - 3} more" if len(left) > 3 else ""
    summary = f"{text}, held by {holders}{more}"
    table = holders_table(left)
    return bundle(f"{text}\n{table.text}", folded(grey(summary), table.html))

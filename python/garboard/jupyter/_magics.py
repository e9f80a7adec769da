"""`%leaks`, `%%leaks`, `%memory` and `%%scope`."""

from __future__ import annotations

import ast
import re
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from types import CodeType
from typing import Any, NoReturn

from garboard import _engine, leaks
from garboard._arguments.texts import printable
from garboard._engine import DisposeScope, human_bytes
from garboard._shown.html import Table, bundle, code, paragraph
from garboard.jupyter._clearing import clear_out, clear_tracebacks
from garboard.jupyter._footer import Footer, live_bytes
from garboard.jupyter._left import EVERYTHING, holders_table, left_since
from garboard.jupyter._looping import FEWEST_STEPS, looped
from garboard.leaks.findings._making import counted
from garboard.leaks.holders._unasked import type_name

__all__ = ["Magics"]

_LINE = re.compile(r"In\[\d+\](:\d+)?|\S+\.py:\d+")


class Magics:
    """What the commands do.

    Args:
        shell: IPython's.
        footer: What `%memory on` and `%memory off` switch.
    """

    def __init__(self, shell: Any, footer: Footer) -> None:
        self._shell, self._footer = shell, footer

    def leaks(self, line: str, cell: str | None = None) -> None:
        """Say who holds what lives; let go of it; or run a cell as a loop.

        ::

            %leaks                        what lives, by holder
            %leaks x                      who holds x, the tensor of that serial number, or all
                                          that was born at In[7]:5
            %leaks clear out              empty Out, _ and the like
            %leaks clear tracebacks       forget the last error, and the frames it keeps
            %leaks clear all              both
            %%leaks --steps 60            run the cell so many times, and report what grows
        """
        words = line.split()
        if cell is not None:
            self._loop(line, cell)
        elif words[:1] == ["clear"]:
            self._clear(words[1:])
        elif words:
            self._tell_holders(line.strip())
        else:
            self._show_holders()

    def _show_holders(self) -> None:
        found = left_since(EVERYTHING)
        if not found:
            return self._publish("nothing lives", paragraph("nothing lives"))
        table = holders_table(found)
        self._publish(table.text, table.html)

    def _tell_holders(self, text: str) -> None:
        try:
            print(leaks.who_holds(self._asked(text)))
        except Exception as error:  # of what was asked for; its traceback would be ours
            _refuse(f"%leaks {text}: {type_name(type(error))}: {printable(str(error))}")

    def _asked(self, text: str) -> Any:
        if text.isdecimal():
            return int(text)
        return text if _LINE.fullmatch(text) else self._shell.ev(text)

    def _clear(self, words: list[str]) -> None:
        acts: dict[str, tuple[Callable[[Any], None], ...]] = {
            "out": (clear_out,),
            "tracebacks": (clear_tracebacks,),
            "all": (clear_out, clear_tracebacks),
        }
        what = " ".join(words)
        if what not in acts:
            _refuse(f"%leaks clear {what}: out, tracebacks or all is needed")
        tensors, nbytes = _engine._live_counts()[0], live_bytes()
        for act in acts[what]:
            act(self._shell)
        count = counted(tensors - _engine._live_counts()[0], "tensor")
        freed = f"freed {human_bytes(nbytes - live_bytes())}, {count}"
        gone = "; %debug has no error to look at" if clear_tracebacks in acts[what] else ""
        print(freed + gone)

    def _loop(self, line: str, cell: str) -> None:
        options = _Options("%%leaks")
        options.add_argument("--steps", type=int, default=60)
        steps = options.parse(line).steps
        if steps < FEWEST_STEPS:
            _refuse(f"%%leaks: {steps} steps; at least {FEWEST_STEPS} are needed")
        (body,) = self._compiled(cell, shows_last=False)
        report = looped(lambda: exec(body, self._shell.user_ns), steps, body.co_filename)
        self._publish(str(report), report._repr_html_())

    def memory(self, line: str) -> None:
        """Show what each device has, and the lines that have the most; switch the footer.

        ::

            %memory        a table
            %memory off    no footer under cells
            %memory on     again
        """
        word = line.strip()
        if word in ("on", "off"):
            self._footer.is_on = word == "on"
        elif word:
            _refuse(f"%memory {word}: nothing, on or off is needed")
        else:
            devices, lines = _devices(), _lines()
            self._publish(f"{devices.text}\n\n{lines.text}", devices.html + lines.html)

    def scope(self, line: str, cell: str) -> None:
        """Run a cell inside a dispose scope: what it makes is gone when it ends.

        ::

            %%scope name --limit "200 MiB"
        """
        options = _Options("%%scope")
        options.add_argument("name", nargs="?")
        options.add_argument("--limit")
        given = options.parse(line)
        body = self._compiled(cell, shows_last=not cell.rstrip().endswith(";"))
        with DisposeScope(given.name, limit=given.limit) as scope:
            for part in body:
                exec(part, self._shell.user_ns)
            count, live = len(scope), sum(scope.live_bytes.values())
        peak = human_bytes(sum(scope.peak_bytes.values()))
        called = f'scope "{given.name}"' if given.name else "scope"
        gone = f"{counted(count, 'tensor')} disposed, {human_bytes(live)}"
        text = f"{called}: {gone}; {peak} at the peak"
        self._publish(text, paragraph(code(text)))

    def _compiled(self, cell: str, *, shows_last: bool) -> list[CodeType]:
        """Compile what stands below the first line, as that of the cell that is running.

        Where the last expression shows, it is a code of its own.
        """
        shell = self._shell
        source = "\n" + shell.transform_cell(cell)
        name = shell.compile.cache(source, shell.displayhook.prompt_count)
        tree: ast.Module = shell.compile.ast_parse(source, name)
        if not (shows_last and tree.body and isinstance(tree.body[-1], ast.Expr)):
            return [shell.compile(tree, name, "exec")]
        shown = ast.Interactive([tree.body.pop()])
        return [shell.compile(tree, name, "exec"), shell.compile(shown, name, "single")]

    def _publish(self, plain: str, html: str) -> None:
        self._shell.display_pub.publish(bundle(plain, html))


def _devices() -> Table:
    from garboard.memory import memory_stats_as_nested_dict

    table = Table(("device", "live", "peak", "held", "cached", "foreign", "limit"))
    table.numbers = table.head[1:]
    for name in _engine._live_counts()[3]:
        stats = memory_stats_as_nested_dict(name)
        held = stats["reserved_bytes"]["all"]["current"]
        keys = ("live_bytes", "peak_live_bytes", None, "cached_bytes", "foreign_bytes")
        sizes = [human_bytes(stats[key] if key else held) for key in keys]
        limit = _engine._memory_limit(name)
        table.rows.append((name, *sizes, "none" if limit is None else human_bytes(limit)))
    return table


def _lines() -> Table:
    table = Table(("live", "tensors", "born"), ("live", "tensors"))
    for group in leaks.live("site")[:5]:
        table.rows.append((human_bytes(group.bytes), str(group.count), group.key))
    return table


class _Options(ArgumentParser):
    """Says what is wrong with a line in one line, and never leaves the program."""

    def __init__(self, command: str) -> None:
        super().__init__(prog=command, add_help=False)

    def parse(self, line: str) -> Any:
        try:
            return self.parse_args(shlex.split(line))
        except ValueError as error:  # a quote is left open
            self.error(str(error))

    def error(self, message: str) -> NoReturn:
        _refuse(f"{self.prog}: {message}")


def _refuse(text: str) -> NoReturn:
    kind = getattr(sys.modules.get("IPython.core.error"), "UsageError", ValueError)
    raise kind(text)

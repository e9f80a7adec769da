"""Where the demo speaks: rich on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.syntax import Syntax

from garboard.demo.program import Program

__all__ = ["Stage", "Tracked"]


class Stage:
    """Prints what is seen, and keeps the claims that held and those that did not."""

    def __init__(self, plain: bool) -> None:
        self.console = Console(highlight=False, no_color=plain or None, soft_wrap=True)
        self.is_plain = plain or not self.console.is_terminal
        self.held: list[str] = []
        self.failed: list[str] = []

    def act(self, number: int, title: str) -> None:
        self.console.print(f"\n[bold]{number}  {escape(title)}[/bold]\n")

    def say(self, text: str, style: str = "") -> None:
        self.console.print(escape(text), style=style)

    def claim(self, holds: bool, text: str) -> None:
        """Say that something holds, or that it does not, which the exit status will tell too."""
        (self.held if holds else self.failed).append(text)
        mark, colour = ("ok", "green") if holds else ("FAILED", "red")
        self.console.print(f"  [bold {colour}]{mark}[/]  {escape(text)}")

    def show(self, program: Program, function: str) -> None:
        """Show a function of a program with its line numbers."""
        source, first = program.lines_of(function)
        self.say(program.path, "dim")
        if self.is_plain:
            for number, line in enumerate(source.split("\n"), first):
                self.say(f"{number:>4} {line}".rstrip())
        else:
            shown = Syntax(source, "python", theme="ansi_dark", line_numbers=True, start_line=first)
            self.console.print(shown)
        self.say("")

    def progress(self) -> Progress:
        """A bar that goes when it is done; none at all where the output is plain."""
        return Progress(
            TextColumn("  {task.description}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total} steps"),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
            disable=self.is_plain,
        )


class Tracked:
    """Batches that move a bar on as they are asked for."""

    def __init__(self, batches: Any, progress: Progress, task: TaskID) -> None:
        self._batches, self._progress, self._task = batches, progress, task

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[Any]:
        iterator = iter(self._batches)
        while True:
            try:
                yield next(iterator)  # no name holds the batch while the loop has it
            except StopIteration:
                return
            self._progress.advance(self._task)

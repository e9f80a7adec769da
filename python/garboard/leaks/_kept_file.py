"""The file in which a watch keeps its report."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace

from garboard._arguments import check
from garboard._arguments.texts import printable, shown
from garboard._whole_files import replace_file
from garboard.leaks._keeping import Keeper
from garboard.leaks.reports._forms import form_of
from garboard.leaks.reports._report import LeakReport

__all__ = ["KeptFile"]


class KeptFile:
    """A file that is written again whenever the watch must tell what it knows.

    Args:
        filename: Its ending gives the form.
        known: Returns the report of now.

    Raises:
        ValueError: No form has this ending; there is no such folder.
        TypeError: `filename` is no path.
    """

    def __init__(self, filename: str | os.PathLike[str], known: Callable[[], LeakReport]) -> None:
        path = check.path("watch", "report", filename)
        try:
            self._form = form_of(path)
        except ValueError as error:
            raise ValueError(f"watch: report {error}") from None
        if not path.parent.is_dir():
            raise ValueError(f"watch: report {shown(path.name)}; its folder does not exist")
        self._path = path.absolute()  # the program may go elsewhere
        self._known = known
        self._keeper = Keeper(self._write)

    def open(self) -> None:
        self._keeper.start()

    def close(self, report: LeakReport) -> None:
        self._keeper.stop()
        if self._keeper.pid == os.getpid():
            self._put(report)

    def _write(self, why: str) -> None:
        report = self._known()
        told = f"written in step {report.checked.steps + 1}: {why}"
        self._put(replace(report, notes=(told, *report.notes)))

    def _put(self, report: LeakReport) -> None:
        try:
            replace_file(self._path, self._form(report))
        except OSError as error:  # the loop is worth more than its report
            print(f"garboard: no report: {printable(str(error))}", file=sys.stderr)

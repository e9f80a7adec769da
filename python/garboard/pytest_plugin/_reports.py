"""`--leaks-report FILE`: all findings of a run in one report, also of tests that ran elsewhere.

A finding travels with the report of its test, as JSON, which pytest-xdist sends on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from garboard.leaks import Leak, LeakReport

__all__ = ["FindingsFile", "add_options", "attach"]

_ATTRIBUTE = "garboard_findings"


def add_options(group: Any) -> None:
    """Add where the report goes."""
    group.addoption(
        "--leaks-report",
        metavar="FILE",
        action="append",
        default=[],
        help="write all findings to a file: .html, .json, .sarif, .xml (JUnit), or .txt with "
        "GitHub's annotations; may be repeated",
    )


def attach(report: pytest.TestReport, found: LeakReport) -> None:
    """Send findings with a test's report."""
    setattr(report, _ATTRIBUTE, found.to_json(indent=None))


class FindingsFile:
    """The hooks; a plugin of its own, registered by ours where a file is asked for.

    Raises:
        UsageError: A file's form is unknown, or it has no folder.
    """

    def __init__(self, files: list[str], folder: Path) -> None:
        from garboard._arguments.texts import printable
        from garboard.leaks.reports._forms import form_of

        self._files = [folder / file for file in files]
        self._leaks: dict[str, Leak] = {}
        self._notes: list[str] = []
        for path in self._files:
            try:
                form_of(path)
            except ValueError as error:
                raise pytest.UsageError(f"--leaks-report: {error}") from None
            if not path.parent.is_dir():
                given = printable(str(path))
                raise pytest.UsageError(f"--leaks-report {given}: its folder does not exist")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test's report brings, from this process or another."""
        text = vars(report).get(_ATTRIBUTE)
        if text is None:
            return
        from garboard.leaks.reports._reading import report_from_dict

        found = report_from_dict(json.loads(text))
        for leak in found.leaks:
            self._leaks.setdefault(leak.fingerprint, leak)
        self._notes.append(f"{report.nodeid}: {found.headline}")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the files; a worker of pytest-xdist leaves that to who started it."""
        if hasattr(session.config, "workerinput"):
            return
        from garboard._whole_files import replace_file
        from garboard.leaks import LeakReport
        from garboard.leaks.reports._forms import form_of

        leaks = sorted(self._leaks.values(), key=lambda leak: leak.gravity)
        report = LeakReport(tuple(leaks), tuple(self._notes))
        for path in self._files:
            replace_file(path, form_of(path)(report))

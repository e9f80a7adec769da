"""All findings of one watched loop, block or function, as text and as data."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

from garboard._arguments import check
from garboard._arguments.texts import printable
from garboard.leaks.findings._leak import Leak
from garboard.leaks.judging._checked import Checked
from garboard.leaks.reports._schema import SCHEMA_NAME
from garboard.leaks.reports._seen import Seen
from garboard.leaks.reports._seen_as_data import seen_to_dict

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LeakReport"]


@dataclass(frozen=True, repr=False)
class LeakReport:
    """What a check found.

    Attributes:
        leaks: Every finding with its verdict, the gravest first; empty for a healthy program.
        notes: What was looked at and is none: bounded caches, exclusions, expectations met.
        checked: What the check covered.
        seen: What lived meanwhile, for pictures; empty where a block or a function was judged.
    """

    leaks: tuple[Leak, ...] = ()
    notes: tuple[str, ...] = ()
    checked: Checked = field(default_factory=Checked)
    seen: Seen = field(default_factory=Seen)

    @property
    def ok(self) -> bool:
        """True while no finding is certain to be a leak; `checked.is_too_early` tells whether one
        could be."""
        return all(leak.verdict != "LEAK" for leak in self.leaks)

    @property
    def headline(self) -> str:
        """The first line of an error: how many findings, and the gravest."""
        if not self.leaks:
            return "too early" if self.checked.is_too_early else "no leaks"
        first = self.leaks[0]
        more = f" (and {len(self.leaks) - 1} more)" if len(self.leaks) > 1 else ""
        noun = "leak" if len(self.leaks) == 1 else "leaks"
        figures = str(first.rate) or first.evidence
        return (
            f"{len(self.leaks)} {noun}: {first.kind}, {figures}, {first.site.place} "
            f"[{first.fingerprint}]{more}"
        )

    def __repr__(self) -> str:
        return f"<LeakReport: {self.headline}>"

    def __str__(self) -> str:
        from garboard.leaks.reports._text import report_text

        return report_text(self.leaks, self.notes, self.checked)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))  # in IPython's terminal

    def _repr_html_(self) -> str:
        from garboard.leaks.reports._display import report_html

        return report_html(self.leaks, self.notes, self.checked)

    def show(self, file: TextIO | None = None) -> None:
        """Print the report, coloured on a terminal (by rich; the variable NO_COLOR is obeyed).

        Args:
            file: Where to; standard output by default.

        Raises:
            TypeError: `file` cannot be written to.

        >>> gb.leaks.LeakReport().show()
        no leaks: 0 tensors born, 0 dead
        """
        from garboard.leaks.reports._text import show

        show(str(self), file)

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, dicts, strings and numbers.

        >>> sorted(gb.leaks.LeakReport().to_dict())
        ['checked', 'leaks', 'notes', 'ok', 'schema', 'seen']
        """
        return {
            "schema": SCHEMA_NAME,
            "ok": self.ok,
            "leaks": [leak.to_dict() for leak in self.leaks],
            "notes": list(self.notes),
            "checked": vars(self.checked),
            "seen": seen_to_dict(self.seen),
        }

    def to_json(self, indent: int | None = 2) -> str:
        """Return `to_dict()` as JSON, which `load_report` reads.

        Its schema is `report.schema.json` in the folder `leaks/reports` of the package.

        Args:
            indent: Spaces a level; None for one line.

        >>> gb.leaks.LeakReport().to_json(indent=None)[:40]
        '{"schema": "garboard.leaks/1", "ok": tru'
        """
        return json.dumps(self.to_dict(), indent=indent)

    def to_html(self, filename: str | os.PathLike[str], source: bool = True) -> Path:
        """Write a page that a browser shows without a network: one file, no script, light or dark.

        It has the memory over the steps, each finding with its fix, its births by step and who
        holds it, the lines that live bytes come from, what has grown, and the scopes.

        Args:
            filename: Where to; a file of that name is replaced once the new one is complete.
            source: Whether lines of the program stand in it, as far as their files can be read.

        Returns:
            Its path.

        Raises:
            OSError: The file cannot be written.
            TypeError: `filename` is no path, `source` no bool.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     gb.leaks.LeakReport().to_html(f"{folder}/leaks.html").name
        'leaks.html'
        """
        from garboard._whole_files import replace_file
        from garboard.leaks.reports._html import html_text

        path = check.path("to_html", "filename", filename)
        with_source = check.flag("to_html", "source", source)
        return replace_file(path, html_text(self, with_source))

    def to_junit(self, name: str = "garboard.leaks") -> str:
        """Return a JUnit test suite: a test case for each finding, failed where it is a LEAK.

        Args:
            name: The suite's name.

        Raises:
            TypeError: `name` is no string.

        >>> "<testsuite" in gb.leaks.LeakReport().to_junit()
        True
        """
        from garboard.leaks.reports._junit import junit_text

        return junit_text(self.leaks, printable(check.text("to_junit", "name", name)))

    def to_sarif(self, indent: int | None = 2) -> str:
        """Return a log in SARIF 2.1.0, which code hosts and editors show beside the lines.

        A result stands at the line that stores into the holder, or, where that is unknown, at the
        line of birth: an error for a LEAK, a warning for what is GROWING or a CYCLE, else a note.
        Paths below the working directory are relative to it.

        Args:
            indent: Spaces a level; None for one line.

        >>> import json
        >>> json.loads(gb.leaks.LeakReport().to_sarif())["version"]
        '2.1.0'
        """
        from garboard.leaks.reports._sarif import sarif_log

        return json.dumps(sarif_log(self.leaks), indent=indent)

    def to_github(self) -> str:
        """Return the lines that GitHub's runners show as annotations when a job prints them.

        Returns:
            A line for each finding, at the line that `to_sarif` names; empty without findings.

        >>> gb.leaks.LeakReport().to_github()
        ''
        """
        from garboard.leaks.reports._github import github_text

        return github_text(self.leaks)

"""Known leaks, kept in a file: what is in it is reported no more, and what is new stands out."""

from __future__ import annotations

import os
from datetime import date

from garboard._arguments import check
from garboard.leaks.judging._baseline import add_known, read_known
from garboard.leaks.judging._exemptions import day_of, ignore_until
from garboard.leaks.reports._report import LeakReport

__all__ = ["load_baseline", "save_baseline"]


def load_baseline(filename: str | os.PathLike[str]) -> int:
    """Leave the known leaks of a file out of every report from now on.

    The file is TOML: a table `[[leak]]` each, with `fingerprint`, `reason` and, if it is to end,
    `until`, a day.

    Args:
        filename: Written by `save_baseline`, or by hand.

    Returns:
        How many it names.

    Raises:
        OSError: The file cannot be read.
        TypeError: `filename` is no path.
        ValueError: It is no baseline; the message names the table at fault.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "leaks.toml"
    >>> _ = file.write_text('[[leak]]\\nfingerprint = "LIST-000000"\\nreason = "an example"\\n')
    >>> gb.leaks.load_baseline(file)
    1
    """
    known = read_known("load_baseline", filename)
    for it in known:
        ignore_until(it.fingerprint, it.until, it.reason)
    return len(known)


def save_baseline(
    report: LeakReport,
    filename: str | os.PathLike[str],
    *,
    reason: str = "known when the baseline was written",
    until: str | None = None,
) -> int:
    """Add the findings of a report to a file of known leaks; what it has already stays as it is.

    Args:
        report: What a check found.
        filename: Where to; it is made if it is not there.
        reason: Why they are left out, for whoever reads the file.
        until: The day, as "2027-01-31", after which they are reported again.

    Returns:
        How many were added.

    Raises:
        OSError: The file cannot be written.
        TypeError: `report` is no LeakReport, or another argument is of the wrong type.
        ValueError: `until` is no day, or the file that is there is no baseline.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "leaks.toml"
    >>> gb.leaks.save_baseline(gb.leaks.LeakReport(), file)
    0
    """
    op = "save_baseline"
    check.of_type(LeakReport, op, "report", report)
    day: date | None = None if until is None else day_of(op, check.text(op, "until", until))
    return add_known(op, filename, report.leaks, check.text(op, "reason", reason), day)

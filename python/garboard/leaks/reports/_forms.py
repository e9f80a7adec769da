"""Which form a report takes in a file, by the end of the file's name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from garboard._arguments.texts import shown
from garboard.leaks.reports._html import html_text
from garboard.leaks.reports._report import LeakReport

__all__ = ["FORMS", "form_of"]

FORMS: dict[str, Callable[[LeakReport], str]] = {
    ".html": html_text,
    ".json": LeakReport.to_json,
    ".sarif": LeakReport.to_sarif,
    ".txt": LeakReport.to_github,
    ".xml": LeakReport.to_junit,
}


def form_of(file: Path) -> Callable[[LeakReport], str]:
    """Return what writes a report for a file of this name.

    Raises:
        ValueError: No form has this ending.
    """
    if file.suffix not in FORMS:
        raise ValueError(f"{shown(file.name)}; a name that ends with {', '.join(FORMS)}")
    return FORMS[file.suffix]

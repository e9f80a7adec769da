"""The report as notebooks show it: a line for each finding, which opens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from garboard._shown.html import code, escape, folded, grey, paragraph, preformatted, strong
from garboard.leaks.findings._leak import Leak
from garboard.leaks.judging._checked import Checked
from garboard.leaks.reports._text import leak_text

__all__ = ["report_html"]


def report_html(leaks: Sequence[Leak], notes: Iterable[str], checked: Checked) -> str:
    """Return the whole report; the first finding is open."""
    parts = [_finding(leak, is_open=at == 0) for at, leak in enumerate(leaks)]
    if not leaks:
        parts = [paragraph(grey(checked.summary))]
    return "".join([*parts, *(paragraph(grey(f"note: {note}")) for note in notes)])


def _finding(leak: Leak, *, is_open: bool) -> str:
    head = f"{strong(leak.verdict)} {code(leak.kind)} {grey(leak.figures)}"
    soon = paragraph(escape(leak.forecast)) if leak.forecast else ""
    fix = paragraph(f"{strong('fix')} {code(leak.fix)}")
    lines = leak_text(leak)[2 + bool(leak.forecast) :]
    return folded(head, soon + fix + preformatted("\n".join(lines)), is_open=is_open)

"""The report as text: verdict, rate and fix first, then who holds what, from the root down."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TextIO

from garboard._engine import human_bytes
from garboard._shown.site import WIDTH, underlined
from garboard.leaks.findings._leak import Leak, Verdict
from garboard.leaks.holders._mending import is_statement
from garboard.leaks.judging._checked import Checked

__all__ = ["leak_text", "report_text", "show"]

_MOST_SHOWN = 5  # findings in full
_NOUNS: dict[Verdict, str] = {
    "LEAK": "leak",
    "GROWING": "growing",
    "CYCLE": "cycle",
    "PINNED": "pinned view",
    "RETAINED": "retained",
}
_COLOURS = {
    "LEAK": "bold red",
    "GROWING": "yellow",
    "CYCLE": "yellow",
    "PINNED": "magenta",
    "RETAINED": "cyan",
}


def report_text(leaks: Sequence[Leak], notes: Iterable[str], checked: Checked) -> str:
    """Return the whole report."""
    if not leaks:
        lines = [checked.summary]
    else:
        lines = [_title(leaks, checked)]
        for leak in leaks[:_MOST_SHOWN]:
            lines += leak_text(leak)
        if len(leaks) > _MOST_SHOWN:
            lines.append(f"… and {len(leaks) - _MOST_SHOWN} more in report.leaks")
        lines.append(f'mute: gb.leaks.ignore("{leaks[0].fingerprint}")')
    return "\n".join([*lines, *(f"note: {note}" for note in notes)])


def _title(leaks: Sequence[Leak], checked: Checked) -> str:
    counts = Counter(leak.verdict for leak in leaks)
    parts = [f"{number} {_noun(verdict, number)}" for verdict, number in counts.items()]
    if checked.steps:
        parts.append(f"step {checked.steps}")
    line = f"━━ garboard · {' · '.join(parts)} ━━"
    if checked.grown_bytes > 0:
        line += f" +{human_bytes(checked.grown_bytes)} since warm-up"
    return line


def _noun(verdict: Verdict, number: int) -> str:
    noun = _NOUNS[verdict]
    return noun if number == 1 or verdict in ("GROWING", "RETAINED") else f"{noun}s"


def leak_text(leak: Leak) -> list[str]:
    """Return the lines of one finding."""
    lines = [
        *_first_lines(leak),
        *underlined(leak.site, "  ", "born  "),
        *(underlined(leak.moved_site, "  ", "moved ") if leak.moved_site else ()),
        *_wrapped(f"  held  {leak.holder}"),
    ]
    if leak.holder_site is not None and leak.holder_site[:2] != leak.site[:2]:
        lines += underlined(leak.holder_site, "        ")
    lines.append("  who holds it, from the root")
    last = len(leak.chain) - 1
    for i, hop in enumerate(leak.chain):
        mark = "╰→" if i == last else "┬" if i == 0 else "├"
        lines.append(f"  {mark} {hop}")
    if leak.diff:
        is_file = leak.diff.startswith("--- a/")  # a notebook's cell is none
        lines.append("  the fix, for patch -p1" if is_file else "  the fix")
        lines += [f"  {line}" for line in leak.diff.splitlines()]
    return lines


def _first_lines(leak: Leak) -> list[str]:
    """Return verdict, rate, forecast and fix, of which each fits a terminal where it can."""
    start, mark, rate = f"{leak.verdict}  {leak.kind}", f"  [{leak.fingerprint}]", str(leak.rate)
    first, seen = f"{start}{mark}  {leak.figures}", ""
    if rate and len(first) > WIDTH:
        first, seen = f"{start}{mark}  {rate}", f"  seen  {leak.evidence}"
        if len(first) > WIDTH:
            first, seen = f"{start}  {rate}", f"{seen}{mark}"
    when = f"  when  {leak.forecast}" if leak.forecast else ""
    return [it for it in (first, when, *_fix_lines(leak.fix), seen) if it]


def _fix_lines(fix: str) -> list[str]:
    """Return a statement in one line, to be pasted; a sentence in as many as a terminal needs."""
    text = f"  fix   {fix}"
    return [text] if is_statement(fix) else _wrapped(text)


def _wrapped(text: str) -> list[str]:
    if len(text) <= WIDTH:
        return [text]
    return wrap(
        text,
        WIDTH,
        subsequent_indent=" " * 8,
        replace_whitespace=False,
        drop_whitespace=True,
        break_long_words=False,
        break_on_hyphens=False,
    )


def show(report: str, file: TextIO | None) -> None:
    """Print a report, in colours where the file is a terminal."""
    out = sys.stdout if file is None else file
    if not hasattr(out, "write"):
        raise TypeError(
            f"show: file is of type {type(file).__name__}; a text file, or what has its write(), "
            "is needed"
        )
    if not getattr(out, "isatty", bool)():  # as print(), which asks for write() alone
        print(report, file=out)
        return
    from rich.console import Console
    from rich.text import Text

    text = Text(report)
    for verdict, colour in _COLOURS.items():
        text.highlight_regex(rf"(?m)^{verdict}  \S+", colour)
    text.highlight_regex(r"(?m)^  when  .*$", "bold yellow")
    text.highlight_regex(r"(?m)^  fix   .*(\n {8}\S.*)*$", "bold green")
    text.highlight_regex(r"~{3,}", "red")
    Console(file=out, force_jupyter=False).print(text, soft_wrap=True)

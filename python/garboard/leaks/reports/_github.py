"""A report as the lines that GitHub's runners read from a job's log and show in the files."""

from __future__ import annotations

from collections.abc import Sequence

from garboard._arguments.texts import printable
from garboard.leaks.findings._leak import Leak, Verdict
from garboard.leaks.reports._places import file_of, line_to_mend

__all__ = ["github_text"]

_COMMANDS: dict[Verdict, str] = {"LEAK": "error", "GROWING": "warning", "CYCLE": "warning"}


def github_text(leaks: Sequence[Leak]) -> str:
    """Return a line for each finding; none for a report without findings."""
    return "".join(f"{_annotation(leak)}\n" for leak in leaks)


def _annotation(leak: Leak) -> str:
    site = line_to_mend(leak)
    properties = {"title": f"{leak.verdict} {leak.kind} [{leak.fingerprint}]"}
    if file := file_of(site):
        properties = {"file": file, "line": str(site.line), **properties}
    told = ",".join(f"{name}={_escaped(text, ':,')}" for name, text in properties.items())
    lines = [
        leak.figures,
        f"born: {leak.site}",
        f"held by: {leak.holder}",
        f"fix: {leak.fix}",
    ]
    message = _escaped("\n".join(lines), "")
    return f"::{_COMMANDS.get(leak.verdict, 'notice')} {told}::{message}"


def _escaped(text: str, more: str) -> str:
    """Write a text so that no part of it ends the command or begins another."""
    lines = [printable(line) for line in text.split("\n")]
    text = "\n".join(lines).replace("%", "%25").replace("\n", "%0A")
    for character in more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text

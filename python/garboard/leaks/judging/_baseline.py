"""The file of known leaks: fingerprints with a reason and, if need be, a day on which they end."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from garboard._arguments import check
from garboard._arguments.texts import printable, shown
from garboard.leaks.findings._leak import Leak

__all__ = ["Known", "add_known", "read_known"]

_HEAD = "# Known leaks, which checks leave out; written by garboard.leaks.save_baseline.\n"
_KEYS = {"fingerprint", "kind", "place", "reason", "until"}


class Known(NamedTuple):
    """A leak that is known.

    Attributes:
        fingerprint: As reports print it.
        reason: Why it is left out.
        until: The day after which it is reported again; None for never.
    """

    fingerprint: str
    reason: str
    until: date | None


def read_known(op: str, filename: str | os.PathLike[str]) -> list[Known]:
    """Read the file; `op` speaks in errors."""
    path = check.path(op, "filename", filename)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _bad(op, path, f"no TOML: {printable(str(error))}") from None
    rows = table.get("leak", [])
    if not isinstance(rows, list) or table.keys() - {"leak"}:
        raise _bad(op, path, "tables [[leak]] alone are expected")
    return [_known(op, path, number, row) for number, row in enumerate(rows, start=1)]


def _known(op: str, path: object, number: int, row: object) -> Known:
    where = f"[[leak]] number {number}"
    if not isinstance(row, dict) or not isinstance(row.get("fingerprint"), str):
        raise _bad(op, path, f"{where} has no fingerprint, such as 'LIST-02bd90'")
    if unknown := sorted(row.keys() - _KEYS):
        raise _bad(op, path, f"{where} has {shown(unknown[0])}; {', '.join(sorted(_KEYS))} may be")
    until, reason = row.get("until"), row.get("reason", "")
    if isinstance(until, str):
        try:
            until = date.fromisoformat(until)
        except ValueError:
            raise _bad(op, path, f"{where} is until {shown(until)}; a day is needed") from None
    if until is not None and type(until) is not date:
        raise _bad(op, path, f"{where} is until {shown(until)}; a day is needed")
    if not isinstance(reason, str):
        raise _bad(op, path, f"{where} has a reason that is no text")
    return Known(printable(row["fingerprint"]), printable(reason), until)


def _bad(op: str, path: object, what: str) -> ValueError:
    return ValueError(f"{op}: {printable(str(path))}: {what}")


def add_known(
    op: str,
    filename: str | os.PathLike[str],
    leaks: Iterable[Leak],
    reason: str,
    until: date | None,
) -> int:
    """Write those that are not in the file yet, behind what is there; return how many."""
    path = check.path(op, "filename", filename)
    known = {it.fingerprint for it in read_known(op, path)} if path.exists() else set()
    new = {leak.fingerprint: leak for leak in leaks if leak.fingerprint not in known}
    if new or not path.exists():
        text = path.read_text(encoding="utf-8") if path.exists() else _HEAD
        path.write_text(
            text + "".join(_row(leak, reason, until) for leak in new.values()), encoding="utf-8"
        )
    return len(new)


def _row(leak: Leak, reason: str, until: date | None) -> str:
    lines = [
        "\n[[leak]]",
        f"fingerprint = {_quoted(leak.fingerprint)}",
        f"kind = {_quoted(leak.kind)}",
        f"place = {_quoted(leak.site.place)}",
        f"reason = {_quoted(reason)}",
    ]
    return "\n".join([*lines, *([f"until = {until.isoformat()}"] if until else []), ""])


def _quoted(text: str) -> str:
    """Return a basic string of TOML."""
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

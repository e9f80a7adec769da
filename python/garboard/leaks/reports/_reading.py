"""Reports that come back from files. A file from elsewhere may hold anything: it is checked whole
against the schema before any part of it becomes a finding."""

from __future__ import annotations

import json
import os
import stat
from typing import Any, NoReturn

from garboard._arguments import check
from garboard._arguments.texts import printable, shown
from garboard._shown.site import Site
from garboard.leaks.findings._leak import Births, Leak, Rate
from garboard.leaks.judging._checked import Checked
from garboard.leaks.reports._report import LeakReport
from garboard.leaks.reports._schema import check_against, schema
from garboard.leaks.reports._seen import Seen
from garboard.leaks.reports._seen_as_data import seen_from_dict

__all__ = ["load_report", "report_from_dict"]

_MOST_BYTES = 64 << 20


def load_report(filename: str | os.PathLike[str]) -> LeakReport:
    """Read a report that `LeakReport.to_json` wrote.

    Args:
        filename: JSON of at most 64 MiB, which keeps the published schema.

    Returns:
        A LeakReport, equal to the one that was written.

    Raises:
        OSError: The file cannot be read.
        TypeError: `filename` is no path.
        ValueError: It is no report; the message names the first rule that is broken, and where.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "leaks.json"
    >>> _ = file.write_text(gb.leaks.LeakReport().to_json())
    >>> gb.leaks.load_report(file).ok
    True
    """
    path = check.path("load_report", "filename", filename)
    said = printable(str(path))
    try:
        return report_from_dict(json.loads(_text(path), parse_constant=_refuse))
    except RecursionError:
        raise ValueError(f"load_report: {said}: nested too deeply for a report") from None
    except ValueError as error:
        raise ValueError(f"load_report: {said}: {printable(str(error))}") from None


def report_from_dict(found: dict[str, Any]) -> LeakReport:
    """Return the report of which `LeakReport.to_dict` made this.

    Raises:
        ValueError: The first rule of the schema that is broken, and where.
    """
    check_against(found, schema(), "the report")
    return LeakReport(
        leaks=tuple(_leak(row) for row in found["leaks"]),
        notes=tuple(map(printable, found["notes"])),
        checked=Checked(**found["checked"]),
        seen=seen_from_dict(found["seen"]) if "seen" in found else Seen(),
    )


def _text(path: os.PathLike[str]) -> bytes:
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("no regular file; a report in JSON is needed")
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError(f"more than {_MOST_BYTES >> 20} MiB; no report is so large")
    return data


def _open_at_once(path: str, flags: int) -> int:
    """Open without waiting: a pipe that nobody writes to would never open."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"a number is {shown(constant)}; a finite one is needed")


def _leak(row: dict[str, Any]) -> Leak:
    texts = {
        name: printable(row[name]) for name in ("kind", "holder", "fix", "fingerprint", "evidence")
    }
    births = row.get("births")
    return Leak(
        verdict=row["verdict"],
        count=row["count"],
        bytes=row["bytes"],
        site=_site(row["site"]),
        chain=tuple(map(printable, row["chain"])),
        since_step=row["since_step"],
        rate=Rate(**{name: float(value) for name, value in row["rate"].items()}),
        holder_site=_site_if(row["holder_site"]),
        moved_site=_site_if(row.get("moved_site")),
        places=tuple(map(_site_if, row.get("places", ()))),
        births=Births(**{**births, "counts": tuple(births["counts"])}) if births else Births(),
        device=printable(row.get("device", "")),
        steps_left=row.get("steps_left"),
        diff="\n".join(map(printable, row.get("diff", "").split("\n"))),
        **texts,
    )


def _site_if(row: dict[str, Any] | None) -> Site | None:
    return _site(row) if row else None


def _site(row: dict[str, Any]) -> Site:
    return Site(printable(row["file"]), row["line"], printable(row["function"]))

"""A report in SARIF 2.1.0 (OASIS, 2020), which code hosts and editors show beside the lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from garboard import __version__
from garboard._arguments.texts import printable
from garboard._shown.site import Site
from garboard.leaks.findings._leak import Leak, Verdict
from garboard.leaks.kinds import all_kinds
from garboard.leaks.reports._places import file_of, line_to_mend

__all__ = ["sarif_log"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: dict[Verdict, str] = {"LEAK": "error", "GROWING": "warning", "CYCLE": "warning"}


def sarif_log(leaks: Sequence[Leak]) -> dict[str, Any]:
    """Return a log of one run: a rule for each kind that was found, a result for each finding."""
    names = sorted({leak.kind for leak in leaks})
    driver = {
        "name": "garboard",
        "version": __version__,
        "rules": [_rule(name) for name in names],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(leak, names.index(leak.kind)) for leak in leaks],
            }
        ],
    }


def _rule(name: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": printable(name)}
    kind = next((it for it in all_kinds() if it.name == name), None)
    if kind is not None:
        rule["shortDescription"] = {"text": kind.title}
        rule["fullDescription"] = {"text": kind.text.strip()}
        if kind.fix:
            rule["help"] = {"text": kind.fix.replace("{", "<").replace("}", ">")}
    return rule


def _result(leak: Leak, rule: int) -> dict[str, Any]:
    lines = [leak.figures, f"held by {leak.holder}", f"fix: {leak.fix}"]
    result: dict[str, Any] = {
        "ruleId": printable(leak.kind),
        "ruleIndex": rule,
        "level": _LEVELS.get(leak.verdict, "note"),
        "message": {"text": "\n".join(printable(line) for line in lines)},
        "partialFingerprints": {"garboardLeak/v1": printable(leak.fingerprint)},
        "properties": {
            "verdict": leak.verdict,
            "bytes": leak.bytes,
            "count": leak.count,
            "sinceStep": leak.since_step,
            "chain": [printable(hop) for hop in leak.chain],
        },
    }
    if location := _location(line_to_mend(leak)):
        result["locations"] = [location]
    if born := _location(leak.site):
        result["relatedLocations"] = [{"id": 1, "message": {"text": "born here"}, **born}]
    return result


def _location(site: Site) -> dict[str, Any]:
    file = file_of(site)
    if not file:
        return {}
    address = quote(file)
    if os.path.isabs(site.file) and file == site.file.replace("\\", "/"):
        address = "file://" + quote(file if file.startswith("/") else f"/{file}", safe="/:")
    place = {"artifactLocation": {"uri": address}, "region": {"startLine": site.line}}
    return {"physicalLocation": place}

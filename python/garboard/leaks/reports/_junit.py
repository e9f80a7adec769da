"""A report as a JUnit test suite, for continuous integration."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from garboard.leaks.findings._leak import Leak
from garboard.leaks.reports._text import leak_text

__all__ = ["junit_text"]


def junit_text(leaks: Sequence[Leak], name: str) -> str:
    """Return the suite; a report without findings is one case that passed."""
    failed = [leak for leak in leaks if leak.verdict == "LEAK"]
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(max(len(leaks), 1)),
        failures=str(len(failed)),
        errors="0",
    )
    for leak in leaks:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=name,
            name=f"{leak.kind} {leak.fingerprint}",
            file=leak.site.file,
            line=str(leak.site.line),
        )
        properties = ElementTree.SubElement(case, "properties")
        for key in ("kind", "verdict", "fingerprint", "bytes", "count"):
            ElementTree.SubElement(properties, "property", name=key, value=str(getattr(leak, key)))
        if leak.verdict == "LEAK":
            failure = ElementTree.SubElement(case, "failure", type="LeakError")
            failure.set("message", leak.summary)
            failure.text = "\n".join(leak_text(leak))
    if not leaks:
        ElementTree.SubElement(suite, "testcase", classname=name, name="no leaks")
    return ElementTree.tostring(suite, encoding="unicode")

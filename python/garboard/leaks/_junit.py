"""A report as a JUnit test suite, for continuous integration."""

from __future__ import annotations

from xml.etree import ElementTree

from garboard.leaks._report import LeakReport
from garboard.leaks._text import leak_text

__all__ = ["junit_text"]


def junit_text(report: LeakReport, name: str) -> str:
    """Return the suite; a report without findings is one case that passed."""
    failed = [leak for leak in report.leaks if leak.verdict == "LEAK"]
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(max(len(report.leaks), 1)),
        failures=str(len(failed)),
        errors="0",
    )
    for leak in report.leaks:
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
    if not report.leaks:
        ElementTree.SubElement(suite, "testcase", classname=name, name="no leaks")
    return ElementTree.tostring(suite, encoding="unicode")

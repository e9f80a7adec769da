"""`garboard show` on the command line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from garboard._arguments.texts import printable

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "print a leak report that was written as JSON"


def add_options(parser: ArgumentParser) -> None:
    """Add which report, and in which form."""
    parser.add_argument("report", help="written by garboard run --report, or LeakReport.to_json")
    parser.add_argument(
        "--as",
        dest="form",
        choices=("text", "github", "sarif", "junit"),
        default="text",
        help="text by default; github prints annotations",
    )


def run(options: Namespace) -> int:
    """Print the report; 1 if it has a leak, 2 if it cannot be read."""
    from garboard.leaks import load_report

    try:
        report = load_report(options.report)
    except (OSError, ValueError) as error:
        print(f"garboard show: {printable(str(error))}", file=sys.stderr)
        return 2
    if options.form == "text":
        report.show()
    else:
        text = getattr(report, f"to_{options.form}")()
        print(text, end="" if text.endswith("\n") or not text else "\n")
    return 0 if report.ok else 1

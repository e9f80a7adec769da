"""`garboard html` on the command line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from garboard._arguments.texts import printable

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "draw a leak report that was written as JSON, as one HTML file"


def add_options(parser: ArgumentParser) -> None:
    """Add which report, and where the page goes."""
    parser.add_argument("report", help="written by garboard run --report, or LeakReport.to_json")
    parser.add_argument("-o", "--output", metavar="HTML", help="the report's name with .html")
    parser.add_argument(
        "--no-source", action="store_true", help="leave out the lines of the program"
    )


def run(options: Namespace) -> int:
    """Write the page and say where it is; 1 if the report has a leak, 2 if that cannot be done."""
    from garboard.leaks import load_report

    output = options.output or Path(options.report).with_suffix(".html")
    try:
        report = load_report(options.report)
        path = report.to_html(output, source=not options.no_source)
    except (OSError, ValueError) as error:
        print(f"garboard html: {printable(str(error))}", file=sys.stderr)
        return 2
    print(printable(str(path)))
    return 0 if report.ok else 1

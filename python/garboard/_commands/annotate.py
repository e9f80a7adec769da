"""`garboard annotate` on the command line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from garboard._arguments.texts import printable

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "print the lines of a program with what they keep alive beside them"


def add_options(parser: ArgumentParser) -> None:
    """Add which report, and of which files."""
    parser.add_argument("report", help="written by garboard run --report, or LeakReport.to_json")
    parser.add_argument("files", nargs="*", help="of the program; all that the report names")
    parser.add_argument(
        "--around", type=int, default=3, metavar="LINES", help="lines before and behind; 3"
    )


def run(options: Namespace) -> int:
    """Print the lines; 1 if the report has a leak, 2 if it cannot be read."""
    from garboard.leaks import load_report
    from garboard.leaks.reports._annotating import annotated

    try:
        report = load_report(options.report)
        text = annotated(report, options.files, max(options.around, 0))
    except (OSError, ValueError) as error:
        print(f"garboard annotate: {printable(str(error))}", file=sys.stderr)
        return 2
    print(text)
    return 0 if report.ok else 1

"""`garboard report` on the command line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from garboard._arguments.texts import printable

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "draw a memory snapshot as one HTML file"


def add_options(parser: ArgumentParser) -> None:
    """Add what the report can be told."""
    parser.add_argument("snapshot", help="written by dump_snapshot, ours or PyTorch's")
    parser.add_argument("-o", "--output", metavar="HTML", help="the snapshot's name with .html")


def run(options: Namespace) -> int:
    """Write the report and say where it is; 1 if the snapshot cannot be read or drawn."""
    from garboard.memory import SnapshotError, load_snapshot
    from garboard.report import Report

    output = options.output or Path(options.snapshot).with_suffix(".html")
    try:
        report = Report(load_snapshot(options.snapshot), f"Memory of {Path(options.snapshot).name}")
        print(printable(str(report.save(output))))
    except (OSError, ValueError, SnapshotError) as error:
        print(f"garboard report: {printable(str(error))}", file=sys.stderr)
        return 1
    return 0

"""`garboard diff` on the command line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from garboard._arguments.texts import printable

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "compare two leak reports, or two memory snapshots"


def add_options(parser: ArgumentParser) -> None:
    """Add what is compared."""
    parser.add_argument("before", help="a leak report as JSON, or what dump_snapshot wrote")
    parser.add_argument("after", help="another of the same kind")


def run(options: Namespace) -> int:
    """Print what is new, what is gone and what has grown; 1 if a leak is new, 2 for no answer."""
    from garboard.leaks.reports._comparing import compared
    from garboard.memory import SnapshotError

    try:
        text, has_new = compared(options.before, options.after)
    except (OSError, ValueError, SnapshotError) as error:
        print(f"garboard diff: {printable(str(error))}", file=sys.stderr)
        return 2
    print(text)
    return int(has_new)

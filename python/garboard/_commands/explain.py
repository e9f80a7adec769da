"""`garboard explain` on the command line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from garboard._arguments.texts import printable

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "say what a kind of leak is, and what to write instead"


def add_options(parser: ArgumentParser) -> None:
    """Add what is to be explained."""
    parser.add_argument(
        "kind", nargs="?", help="as reports print it, such as tensor-list; all without it"
    )


def run(options: Namespace) -> int:
    """Print the explanation; 1 if there is no such kind."""
    from garboard.leaks import explain

    try:
        print(explain(options.kind))
    except ValueError as error:
        print(f"garboard {printable(str(error))}", file=sys.stderr)
        return 1
    return 0

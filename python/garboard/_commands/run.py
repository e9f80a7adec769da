"""`garboard run` on the command line."""

from __future__ import annotations

import sys
from argparse import REMAINDER, ArgumentParser, Namespace

from garboard._arguments.texts import printable

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "run a script, and report what it leaks"


def add_options(parser: ArgumentParser) -> None:
    """Add what the run can be told; all behind the script is the script's own."""
    parser.add_argument(
        "--fail-on",
        choices=("leak", "growing", "cycle"),
        help="end with status 1 if that, or worse, is found and the script itself succeeded",
    )
    parser.add_argument(
        "--report",
        metavar="FILE",
        action="append",
        default=[],
        help="where the report goes too: .html, .json, .sarif, .xml (JUnit) or .txt (annotations); "
        "may be repeated",
    )
    parser.add_argument(
        "--provider",
        choices=("garboard", "torch"),
        default="garboard",
        help="whose tensors and optimizers are watched; with torch, PyTorch is imported first",
    )
    parser.add_argument("script", help="what python would run")
    parser.add_argument("arguments", nargs=REMAINDER, help="the script's own")


def run(options: Namespace) -> int:
    """Run the script as python would; its exit status, or 1 where its findings are to fail it."""
    from garboard.leaks._script import ScriptRun

    try:
        prepared = ScriptRun(
            options.script, options.arguments, options.report, provider=options.provider
        )
    except (ImportError, OSError, ValueError) as error:
        print(f"garboard run: {printable(str(error))}", file=sys.stderr)
        return 2
    return prepared.run(options.fail_on)

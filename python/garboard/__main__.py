"""The command `garboard`, also as `python -m garboard`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

import garboard
from garboard import _info
from garboard._commands import annotate, diff, explain, html, report, run, show, top
from garboard.demo import command as demo

__all__ = ["main"]

COMMANDS = {
    "annotate": annotate,
    "demo": demo,
    "diff": diff,
    "explain": explain,
    "html": html,
    "info": _info,
    "report": report,
    "run": run,
    "show": show,
    "top": top,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, `sys.argv`'s by default, and return its exit status; without one, help."""
    parser = ArgumentParser(prog="garboard", description=(garboard.__doc__ or "").splitlines()[0])
    parser.add_argument("--version", action="version", version=f"garboard {garboard.__version__}")
    commands = parser.add_subparsers(dest="command")
    for name, module in COMMANDS.items():
        own = commands.add_parser(name, help=module.SUMMARY, description=module.SUMMARY)
        module.add_options(own)
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        status: int = COMMANDS[options.command].run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # `garboard show report.json | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())

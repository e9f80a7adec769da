"""`garboard top` on the command line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from garboard._arguments.texts import printable

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "show what a running program keeps alive, and how fast it grows"

_MOST_WAIT_S = 60.0  # for a script to import garboard
_TRY_EVERY_S = 0.05


def add_options(parser: ArgumentParser) -> None:
    """Add what is looked at, and how often."""
    parser.add_argument(
        "--every", type=_seconds, default=1.0, metavar="SECONDS", help="between two looks; 1"
    )
    parser.add_argument(
        "--once", action="store_true", help="print one look, end the script, and leave"
    )
    parser.add_argument(
        "program",
        help="a script, which is run as garboard run does, or the number of a process that was "
        "started with GARBOARD_PUBLISH=1",
    )
    parser.add_argument("arguments", nargs=REMAINDER, help="the script's own")


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.05 <= value <= 3600:
        raise ArgumentTypeError("0.05 to 3600 seconds are needed")
    return value


def run(options: Namespace) -> int:
    """Show it until it ends, or until Ctrl-C; the script's exit status, or 2 for no view."""
    if not hasattr(os, "getuid"):
        print("garboard top: Unix sockets are needed", file=sys.stderr)
        return 2
    if options.program.isascii() and options.program.isdigit():
        return _watch(int(options.program), options, None)
    with tempfile.TemporaryFile() as output:
        return _run_script(options, output)


def _run_script(options: Namespace, output: IO[bytes]) -> int:
    command = [sys.executable, "-m", "garboard", "run", options.program, *options.arguments]
    environment = {**os.environ, "GARBOARD_PUBLISH": "1"}
    script = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
    )
    try:
        status = _watch(script.pid, options, script)
        with suppress(KeyboardInterrupt):
            ended = script.wait() if not options.once else _ended(script, signal.SIGTERM)
            status = status or ended
    finally:
        if script.poll() is None:
            _ended(script)
    output.seek(0)
    sys.stdout.flush()
    with suppress(BrokenPipeError):
        sys.stdout.buffer.write(output.read())
        sys.stdout.flush()
    return status


def _ended(script: subprocess.Popen[bytes], by: signal.Signals = signal.SIGINT) -> int:
    """End a script as Ctrl-C would, or as `kill`; what does not hear that is ended for good."""
    script.send_signal(by)
    try:
        script.wait(timeout=10)
    except subprocess.TimeoutExpired:
        script.kill()
        script.wait()
    return 0


def _watch(pid: int, options: Namespace, script: subprocess.Popen[bytes] | None) -> int:
    from garboard._top._sockets import UnsafeFolderError

    try:
        client = _connected(pid, script)
        if client is None:
            return 0  # it ended before there was anything to see
        with client:
            has_shown = _show(client, options, is_begun=script is None)
        if not has_shown and script is None:
            raise ConnectionError("it hung up")
    except KeyboardInterrupt:
        return 0
    except (UnsafeFolderError, ValueError) as error:
        print(f"garboard top: {printable(str(error))}", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"garboard top: process {pid} does not answer ({printable(str(error))}); start it "
            "with GARBOARD_PUBLISH=1",
            file=sys.stderr,
        )
        return 2
    return 0


def _connected(pid: int, script: subprocess.Popen[bytes] | None) -> Any:
    from garboard._top._sockets import UnsafeFolderError, connected

    until = time.monotonic() + (_MOST_WAIT_S if script else 0.0)
    while True:
        try:
            return connected(pid, timeout_s=10.0)
        except UnsafeFolderError:
            raise
        except OSError:
            if script is not None and script.poll() is not None:
                return None
            if time.monotonic() >= until:
                raise
        time.sleep(_TRY_EVERY_S)


def _first(samples: Iterator[dict[str, Any]], options: Namespace) -> dict[str, Any] | None:
    """Return the first look after a script has had its tensors for a while; else the last."""
    sample, since = None, None
    for sample in samples:
        if since is None and sample["aliases"]:
            since = time.monotonic()
        if since is not None and time.monotonic() - since >= options.every:
            break
        time.sleep(_TRY_EVERY_S)
    return sample


def _show(client: Any, options: Namespace, is_begun: bool) -> bool:
    from rich.console import Console
    from rich.live import Live

    from garboard._top._viewing import Growth, answers, screen

    console, growth = Console(), Growth()
    if options.once or not console.is_terminal:
        sample = next(answers(client), None) if is_begun else _first(answers(client), options)
        if sample is not None:
            growth.take(sample)
            console.print(screen(sample, growth, 60))
        return sample is not None
    with Live(console=console, screen=True, auto_refresh=False) as live:
        for sample in answers(client):
            growth.take(sample)
            rows = shutil.get_terminal_size().lines
            live.update(screen(sample, growth, rows), refresh=True)
            time.sleep(options.every)
    return bool(growth)

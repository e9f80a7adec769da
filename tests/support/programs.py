"""Programs in an interpreter of their own: what an exit, a fork or a crash leaves to be seen."""

from __future__ import annotations

import subprocess
import sys
import textwrap


def run_program(source: str, *options: str) -> str:
    """Run `source`, which must exit with 0 and write nothing to stderr; return what it prints."""
    # Newer interpreters warn of every fork beside threads; that it works is what is tested.
    quiet = ("-W", "ignore::DeprecationWarning:__main__")
    command = [sys.executable, *quiet, *options, "-c", textwrap.dedent(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), f"{done.returncode}\n{done.stderr}"
    return done.stdout

"""What a program that died or hung had done: seen by running it again, line by line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, replace

from tests.fuzz.findings import DEATHS, Finding
from tests.fuzz.replay import needed, reduced
from tests.fuzz.runner import HOME, WAIT_RATIO, Order, Runner

__all__ = ["explain"]

_MOST = 30  # that many deaths are looked into: each takes seconds
_BEFORE = (0, 1, 8, 64, 512, 4000)


def _try(order: Order, kind: str, seconds: float) -> tuple[bool, list[str]]:
    """Run `order` in a process of its own; return whether that dies or hangs, and what it said."""
    command = [sys.executable, "-m", "tests.fuzz.child", json.dumps(asdict(order))]
    process = subprocess.Popen(
        command, cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        said, _ = process.communicate(timeout=seconds * (1 if kind == "hang" else WAIT_RATIO))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        said, _ = process.communicate()
        return kind == "hang", said.splitlines()
    return process.returncode != 0 and kind != "hang", said.splitlines()


def _explain(runner: Runner, finding: Finding) -> None:
    order = replace(runner.workers[0].order, findings=os.devnull, trace=True)
    for before in _BEFORE:
        first = max(0, finding.number - before)
        seconds = 2 + 2 * runner.hang_seconds + before / 100
        again = replace(order, first=first, last=finding.number + 1)
        died, said = _try(again, finding.kind, seconds)
        if died:
            break
    else:
        finding.lines = [f"# does not come again: --seed {order.seed} --only {finding.number}"]
        return
    starts = [at for at, line in enumerate(said) if line.startswith("# program ")]
    lines = said[starts[-1] + 1 :]
    if before or not lines:
        finding.lines = [f"# after {before} programs before it", *lines]
        return

    def dies(fewer: list[str]) -> bool:
        return _try(replace(order, lines=fewer, trace=False), finding.kind, runner.hang_seconds)[0]

    short = needed(lines)
    finding.lines = reduced(short if dies(short) else lines, dies)


def explain(runner: Runner) -> None:
    """Give the deaths among the findings their text."""
    deaths = [it for it in runner.findings.all() if it.kind in DEATHS]
    for finding in deaths[:_MOST]:
        _explain(runner, finding)
    runner.findings.join_alike()

"""Runs the text of a program again, and takes out of it what a finding does not need."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from tests.fuzz.judge import fault_of
from tests.fuzz.stories.mischief import CtrlC
from tests.fuzz.targets import Target

__all__ = ["needed", "reduced", "replay"]

_NAME = re.compile(r"\b[vr]\d+\b")


def replay(lines: list[str], space: dict[str, Any]) -> list[str]:
    """Run `lines`, each whatever became of those before; return the faults."""
    faults = []
    setting, lines = (lines[0], lines[1:]) if lines[0].startswith("with ") else ("", lines)
    try:
        with eval(setting[5:-1], space) if setting else nullcontext():
            for line in lines:
                try:
                    exec(line, space)
                except (NameError, CtrlC):
                    continue  # of a line that failed
                except Exception as error:
                    if fault := fault_of(error, Target("replayed", int, (), text=line)):
                        faults.append(fault)
                    error.__traceback__ = error.__context__ = error.__cause__ = None
    except KeyboardInterrupt:
        pass
    except Exception as error:
        if fault := fault_of(error, Target("the setting", int, ())):
            faults.append(fault)
    return faults


def needed(lines: list[str]) -> list[str]:
    """Return what the last of `lines` needs of those before, by names."""
    kept = [lines[-1]]
    wanted = set(_NAME.findall(lines[-1].partition(" = ")[2]))
    for line in reversed(lines[:-1]):
        name, _, text = line.partition(" = ")
        if name in wanted:
            wanted |= set(_NAME.findall(text))
            kept.insert(0, line)
        elif line.startswith("with "):
            kept.insert(0, line)
    return kept


def reduced(lines: list[str], is_still_found: Callable[[list[str]], bool]) -> list[str]:
    """Take lines away, one by one from the end, while `is_still_found`."""
    for index in reversed(range(len(lines))):
        fewer = lines[:index] + lines[index + 1 :]
        if fewer and is_still_found(fewer):
            lines = fewer
    return lines

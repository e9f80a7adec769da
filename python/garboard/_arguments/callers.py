"""Who called the library: warnings name that line, however deep in the library they are given."""

from __future__ import annotations

import os
import sys

from garboard import _engine

__all__ = ["level_of_caller"]


def level_of_caller() -> int:
    """The stack level, as `warn` counts from the function that asks, of the first frame outside."""
    package = os.path.dirname(_engine.__file__) + os.sep
    level = 1
    while sys._getframe(level).f_code.co_filename.startswith(package):
        level += 1
    return level

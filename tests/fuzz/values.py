"""Arguments as Python text, by kind: what a parameter is meant to take, what is hostile to all.

Text, because a finding is shown as lines that anybody can run. `values.txt` has them, a value a
line, under "# kind: the names of parameters that are meant to take it". `{other}` stands for the
name of a value that the same program made before.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

__all__ = ["SPACE", "kind_of", "text_of"]

#: The statements that make the names which all texts use.
SPACE = """\
__name__ = 'tests.fuzz.values'
import collections, contextlib, copy, decimal, fractions, functools, io, itertools, math
import operator, os, pickle
import numpy as np, garboard as gb
from garboard import autograd, leaks, memory, nn, optim, profiler, utils
from tests.fuzz.hostile import *
from tests.fuzz.stories.mischief import *
"""
_ENDLESS_SHARE = 0.0005  # some take half a second, until a signal stops them

_KIND_OF_TYPE = {bool: "flag", int: "integer", float: "number", str: "text"}


_KIND_OF_NAME: dict[str, str] = {}


def _read() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("values.txt").read_text().splitlines():
        if line.startswith("# "):
            kind, _, names = line[2:].partition(":")
            _KIND_OF_NAME.update(dict.fromkeys(names.split(), kind))
            values = found.setdefault(kind, [])
        elif line:
            values.append(line)
    return found


_POOLS = _read()
_ENDLESS = _POOLS.pop("endless")
_HOSTILE = [
    text for kind in list(_POOLS) if kind.startswith("hostile ") for text in _POOLS.pop(kind)
]


def kind_of(name: str, default: object) -> str:
    """Return the kind of a parameter, by its name, else by its default; "any" where both fail."""
    return _KIND_OF_NAME.get(name) or _KIND_OF_TYPE.get(type(default), "any")


def text_of(kind: str, rng: Random, sanity: float) -> str:
    """Draw the text of a value of `kind`; with the probability `1 - sanity` one hostile to all."""
    draw = rng.random()
    if draw >= sanity:
        return rng.choice(_ENDLESS if draw > 1 - _ENDLESS_SHARE else _HOSTILE)
    return rng.choice(_POOLS.get(kind) or rng.choice(list(_POOLS.values())))

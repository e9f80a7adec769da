"""What is called: a function, its parameters, and how a call of it is written."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.values import kind_of

__all__ = ["ANY", "SELF", "Method", "Parameter", "Step", "Target", "parameters_of"]


@dataclass(frozen=True)
class Parameter:
    """What a target takes: `kind` says which values are meant for it."""

    name: str
    kind: str
    required: bool = True
    keyword: bool = False
    repeated: bool = False


def _spelled(named: dict[str, str]) -> list[str]:
    return [
        f"{name}={value}" if name.isidentifier() else f"**{{{name!r}: {value}}}"
        for name, value in named.items()
    ]


@dataclass(frozen=True)
class Target:
    """Something to call. `text` has {} where the arguments go."""

    name: str
    call: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    text: str = field(default="")

    def spelled(self, given: list[str], named: dict[str, str]) -> str:
        """Return the call as Python text."""
        words = [*given, *_spelled(named)]
        if self.text:
            return self.text.format(*words)
        return f"{self.name}({', '.join(words)})"


class Step(Target):
    """A line of a story, as it stands."""


class Method(Target):
    """A method: its text has the object before it."""

    def spelled(self, given: list[str], named: dict[str, str]) -> str:
        name = self.name.rpartition(".")[2]
        words = [*given[1:], *_spelled(named)]
        return f"{given[0]}.{name}({', '.join(words)})"


SELF = Parameter("self", "self")
ANY = Parameter("other", "any")


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return (Parameter("any", "any", required=False, repeated=True),)
    gathering = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    found = []
    for name, it in signature.parameters.items():
        found.append(
            Parameter(
                name,
                kind_of(name, it.default),
                required=it.default is it.empty and it.kind not in gathering,
                keyword=it.kind in (it.KEYWORD_ONLY, it.VAR_KEYWORD),
                repeated=it.kind is it.VAR_POSITIONAL,
            )
        )
    return tuple(found)

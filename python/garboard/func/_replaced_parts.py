"""Parts of `vmap` that a program puts in the place of PyTorch's, for containers of its own.

A library whose containers know their batch replaces three functions of `torch._functorch.vmap`:
what takes the arguments apart, what makes samples of them, and what makes results of samples.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

__all__ = ["PARTS", "Parts", "refusing", "replaced_parts"]

PARTS = ("_process_batched_inputs", "_create_batched_inputs", "_unwrap_batched")
_HOME = "garboard._functorch.vmap"


class Parts(NamedTuple):
    """The three that a program has set."""

    taken_apart: Callable[..., Any]
    samples: Callable[..., Any]
    results: Callable[..., Any]


def refusing(name: str) -> Callable[..., NoReturn]:
    """What stands where a program may set a part of its own, and is never called by `vmap`."""

    def refuse(*given: object, **named: object) -> NoReturn:
        raise NotImplementedError(f"{name}: vmap has no such part here; call gb.func.vmap itself")

    refuse.__name__ = refuse.__qualname__ = name
    _ours.add(refuse)
    return refuse


_ours: set[Callable[..., Any]] = set()


def replaced_parts() -> Parts | None:
    """The parts that a program has set; None unless it has set all three."""
    home = sys.modules.get(_HOME)
    if home is None:
        return None
    found = [vars(home).get(name) for name in PARTS]
    if any(it is None or it in _ours for it in found):
        return None
    return Parts(*found)  # type: ignore[arg-type]

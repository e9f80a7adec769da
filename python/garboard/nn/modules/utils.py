"""One number made several, as layers of windows take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from garboard._arguments import check
from garboard._arguments.given import list_of
from garboard._engine import Tensor

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that repeats what it is given `n` times, unless it is several already."""
    count = check.count("_ntuple", "n", n)

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * count

    parse.__name__ = check.text("_ntuple", "name", name)
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Tensor], prefix: str) -> None:
    """Take a prefix off the names of a state dict, in place, where they have it.

    For states that were saved of a wrapped model, whose names begin with "module.".

    Args:
        state_dict: Tensors by name.
        prefix: What names lose.

    Raises:
        TypeError: No dict, or no text.

    >>> saved = gb.nn.DataParallel(gb.nn.Linear(1, 1)).state_dict()
    >>> gb.nn.modules.utils.consume_prefix_in_state_dict_if_present(saved, "module.")
    >>> [*saved]
    ['weight', 'bias']
    """
    op = "consume_prefix_in_state_dict_if_present"
    start = check.text(op, "prefix", prefix)
    if not isinstance(state_dict, dict):
        raise TypeError(
            f"{op}: state_dict is of type {type(state_dict).__name__}; a dict is needed"
        )
    for name in list_of(str, op, "state_dict", dict.keys(state_dict), "names"):
        state_dict[name.removeprefix(start)] = state_dict.pop(name)
    notes = getattr(state_dict, "_metadata", None)
    if isinstance(notes, dict):  # by modules, whose names have no point at the end
        for name in list_of(str, op, "_metadata", dict.keys(notes), "names"):
            rest = "" if name == start.rstrip(".") else name.removeprefix(start)
            notes[rest] = notes.pop(name)


def _reverse_repeat_tuple(t: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    """Each of `t` `n` times, the last one first."""
    return tuple([x for x in reversed(t) for _ in range(n)])


def _list_with_default(out_size: list[int | None], defaults: list[int]) -> list[int | None]:
    """The sizes that are given, and the last defaults where one is None."""
    if isinstance(out_size, int):
        return out_size
    last = defaults[len(defaults) - len(out_size) :]
    return [there if size is None else size for size, there in zip(out_size, last, strict=True)]

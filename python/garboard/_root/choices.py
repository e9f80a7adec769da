"""What a program decides while it runs, as PyTorch's compiler needs it; and what it warns of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from garboard._arguments import check
from garboard._arguments.given import items_of, refuse_unless_list
from garboard._engine import Tensor

__all__ = ["cond", "is_warn_always_enabled", "set_warn_always"]

_R = TypeVar("_R")


def cond(
    pred: bool | Tensor,
    true_fn: Callable[..., _R],
    false_fn: Callable[..., _R],
    operands: Sequence[Any] = (),
) -> _R:
    """Call the one function or the other, as a truth says.

    Args:
        pred: A bool, or a tensor of one element.
        true_fn: Called where that is true.
        false_fn: Called where it is not.
        operands: What it is called with.

    Returns:
        What it returns.

    Raises:
        TypeError: A function cannot be called, or `operands` is no list or tuple.
        ShapeError: `pred` has several elements, or none.

    >>> from garboard._root.choices import cond
    >>> cond(gb.tensor(True), lambda x: x + 1, lambda x: x - 1, (gb.ones(1),))
    tensor([2.])
    """
    chosen = check.function("cond", "true_fn", true_fn)
    other = check.function("cond", "false_fn", false_fn)
    refuse_unless_list("cond", "operands", operands, "arguments")
    made: _R = (chosen if bool(pred) else other)(*items_of(operands))
    return made


class _Heard:
    always = False


def set_warn_always(b: bool, /) -> None:
    """Ask for warnings each time: it is heard, and Python's filters of warnings decide.

    Args:
        b: Whether.

    Raises:
        TypeError: It is no bool.

    >>> from garboard._root.choices import is_warn_always_enabled, set_warn_always
    >>> set_warn_always(False)
    >>> is_warn_always_enabled()
    False
    """
    _Heard.always = check.flag("set_warn_always", "b", b)


def is_warn_always_enabled() -> bool:
    """Tell what `set_warn_always` asked for last.

    >>> from garboard._root.choices import is_warn_always_enabled
    >>> is_warn_always_enabled()
    False
    """
    return _Heard.always

"""What a program decides while it runs, as PyTorch's compiler needs it; and what it warns of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import items_of, refuse_unless_list
from garboard._engine import Tensor

__all__ = ["cond", "is_warn_always_enabled", "set_warn_always", "while_loop"]

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


def while_loop(
    cond_fn: Callable[..., bool | Tensor],
    body_fn: Callable[..., Any],
    carried_inputs: Sequence[Any],
) -> Any:
    """Call a function with what it returned, for as long as another says so.

    Args:
        cond_fn: Takes what is carried; it returns a bool, or a tensor of one element.
        body_fn: Takes the same and returns what is carried on, as many values.
        carried_inputs: What is carried at first.

    Returns:
        A tuple of what is carried in the end.

    Raises:
        TypeError: A function cannot be called, or `carried_inputs` is no list or tuple.
        ValueError: `body_fn` returned another number of values.
        ShapeError: What `cond_fn` returned has several elements, or none.

    >>> from garboard._root.choices import while_loop
    >>> while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (gb.tensor(0), gb.ones(1)))
    (tensor(3), tensor([8.]))
    """
    op = "while_loop"
    goes_on = check.function(op, "cond_fn", cond_fn)
    act = check.function(op, "body_fn", body_fn)
    refuse_unless_list(op, "carried_inputs", carried_inputs, "arguments")
    carried = tuple(items_of(carried_inputs))
    while bool(goes_on(*carried)):
        made = act(*carried)
        made = tuple(made) if isinstance(made, (tuple, list)) else (made,)
        if len(made) != len(carried):
            raise ArgumentError(
                f"{op}: body_fn returned {len(made)} values; as many as are carried, "
                f"{len(carried)}, are needed"
            )
        carried = made
    return carried


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

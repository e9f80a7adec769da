"""Functions along a dim, of the elements of tensors that a mask lets count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._engine import Tensor
from garboard.masked._filled import filled, highest, lowest
from garboard.masked._reductions import norm
from garboard.nn import functional

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = [
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "normalize",
    "softmax",
    "softmin",
]


def _place(op: str, input: Tensor, dim: int) -> int:
    return check.place(op, "dim", dim, max(input.ndim, 1))


def softmax(
    input: Tensor,
    dim: int,
    *,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Scale the elements that count to positive numbers that sum to one.

    Args:
        input: A dense tensor.
        dim: Along which dim.
        dtype: What to compute in; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor of the same sizes: 0 where an element does not count, NaN along all of them.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.softmax(x, 0, mask=mask)
    tensor([0.7311, 0.0000, 0.2689])
    """
    x = filled("softmax", input, mask, lowest(check.tensor("softmax", "input", input)))
    return functional.softmax(x, _place("softmax", input, dim), dtype=dtype)


def log_softmax(
    input: Tensor,
    dim: int,
    *,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Compute the logarithm of `softmax`, without overflow.

    Args:
        input: A dense tensor.
        dim: Along which dim.
        dtype: What to compute in; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor of the same sizes: -inf where an element does not count, NaN along all of them.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.log_softmax(x, 0, mask=mask)
    tensor([-0.3133,    -inf, -1.3133])
    """
    x = filled("log_softmax", input, mask, lowest(check.tensor("log_softmax", "input", input)))
    return functional.log_softmax(x, _place("log_softmax", input, dim), dtype=dtype)


def softmin(
    input: Tensor,
    dim: int,
    *,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Compute the softmax of the negatives of the elements that count.

    Args:
        input: A dense tensor.
        dim: Along which dim.
        dtype: What to compute in; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor of the same sizes: 0 where an element does not count, NaN along all of them.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.softmin(x, 0, mask=mask)
    tensor([0.2689, 0.0000, 0.7311])
    """
    x = filled("softmin", input, mask, highest(check.tensor("softmin", "input", input)))
    return functional.softmin(x, _place("softmin", input, dim), dtype=dtype)


def cumsum(
    input: Tensor,
    dim: int,
    *,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Add up the elements that count, up to each place.

    Args:
        input: A dense tensor.
        dim: Along which dim.
        dtype: That of the result; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor of the same sizes; what does not count adds nothing.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.cumsum(x, 0, mask=mask)
    tensor([3., 3., 5.])
    """
    x = filled("cumsum", input, mask, 0)
    kind = input.dtype if dtype is None else dtype
    return x.cumsum(_place("cumsum", input, dim), dtype=kind)


def cumprod(
    input: Tensor,
    dim: int,
    *,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Multiply the elements that count, up to each place.

    Args:
        input: A dense tensor.
        dim: Along which dim.
        dtype: That of the result; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor of the same sizes; what does not count changes nothing.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.cumprod(x, 0, mask=mask)
    tensor([3., 3., 6.])
    """
    x = filled("cumprod", input, mask, 1)
    kind = input.dtype if dtype is None else dtype
    return x.cumprod(_place("cumprod", input, dim), dtype=kind)


def normalize(
    input: Tensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Divide the elements that count by their norm.

    Args:
        input: A dense tensor.
        ord: The power of the norm, see `norm`.
        dim: Along which dim.
        eps: The least that is divided by.
        dtype: What to compute in; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor of the same sizes, 0 where an element does not count.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.normalize(x, 1, 0, mask=mask)
    tensor([0.6000, 0.0000, 0.4000])
    """
    by = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return filled("normalize", input, mask, 0) / by.clamp(min=check.real("normalize", "eps", eps))


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: DType | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """Compute ln(e^input + e^other), where each is left out that does not count.

    Args:
        input: A dense tensor.
        other: Another, of sizes that broadcast with the input's.
        dtype: That of the result; by default the input's.
        input_mask: True where an element of the input counts: bools, or what is read as such,
            in sizes that broadcast to the input's. None for everywhere.
        other_mask: Likewise, of `other`.

    Returns:
        A new tensor, -inf where neither counts.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, y = gb.tensor([-100.0, -200.0]), gb.tensor([-1.0, -2.0])
    >>> mask = gb.tensor([True, False])
    >>> gb.masked.logaddexp(x, y, input_mask=mask, other_mask=mask)
    tensor([-1., -inf])
    """
    op = "logaddexp"
    a, b = check.tensor(op, "input", input), check.tensor(op, "other", other)
    x = filled(op, a, input_mask, lowest(a), "input_mask")
    y = filled(op, b, other_mask, lowest(b), "other_mask")
    return _engine.logaddexp(x, y).to(a.dtype if dtype is None else dtype)


all_overridable(globals())

"""Sums, extrema and moments of the elements of tensors that a mask lets count.

What does not count is written over by what changes nothing, 0 in a sum, before the usual op.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.overridable import all_overridable
from garboard._engine import DTypeError, Tensor
from garboard.masked._filled import count_of, dims_of, filled, highest, lowest

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "prod",
    "std",
    "sum",
    "var",
]

Dims: TypeAlias = int | Sequence[int] | None


def sum(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Add up the elements that count.

    Args:
        input: A dense tensor.
        dim: Along which dims: one, several, or None for all.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's, int64 for integers.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor, 0 where nothing counts.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.sum(x, mask=mask)
    tensor(5.)
    """
    dims = dims_of("sum", input, dim)
    return filled("sum", input, mask, 0).sum(dims, keepdim=keepdim, dtype=dtype)


def prod(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Multiply the elements that count.

    Args:
        input: A dense tensor.
        dim: Along which dims: one, several, or None for all.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's, int64 for integers.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor, 1 where nothing counts.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.prod(x, mask=mask)
    tensor(6.)
    """
    dims = dims_of("prod", input, dim)
    found = filled("prod", input, mask, 1)
    found = found if dtype is None else found.to(dtype)
    for it in reversed(dims):
        found = found.prod(it, keepdim=keepdim)
    return found if dims else found.prod()


def amax(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Find the largest of the elements that count.

    Args:
        input: A dense tensor.
        dim: Along which dims: one, several, or None for all.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor; where nothing counts the least of the dtype, -inf of a floating one.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.amax(x, mask=~mask)
    tensor(1.)
    """
    dims = dims_of("amax", input, dim)
    found = filled("amax", input, mask, lowest(input)).amax(dims, keepdim)
    return found if dtype is None else found.to(dtype)


def amin(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Find the smallest of the elements that count.

    Args:
        input: A dense tensor.
        dim: Along which dims: one, several, or None for all.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor; where nothing counts the largest of the dtype, inf of a floating one.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.amin(x, mask=mask)
    tensor(2.)
    """
    dims = dims_of("amin", input, dim)
    found = filled("amin", input, mask, highest(input)).amin(dims, keepdim)
    return found if dtype is None else found.to(dtype)


def argmax(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Find where the largest of the elements that count stands.

    Args:
        input: A dense tensor.
        dim: Along which dim; None for all, flat.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's, as in PyTorch, floats for floats.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor of places, 0 where nothing counts.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.argmax(x, mask=mask, dtype=gb.int64)
    tensor(0)
    """
    found = filled("argmax", input, mask, lowest(check.tensor("argmax", "input", input)))
    return found.argmax(dim, keepdim).to(input.dtype if dtype is None else dtype)


def argmin(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Find where the smallest of the elements that count stands.

    Args:
        input: A dense tensor.
        dim: Along which dim; None for all, flat.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's, as in PyTorch, floats for floats.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor of places, 0 where nothing counts.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.argmin(x, mask=mask, dtype=gb.int64)
    tensor(2)
    """
    found = filled("argmin", input, mask, highest(check.tensor("argmin", "input", input)))
    return found.argmin(dim, keepdim).to(input.dtype if dtype is None else dtype)


def mean(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Average the elements that count.

    Args:
        input: A dense tensor.
        dim: Along which dims: one, several, or None for all.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor, NaN where nothing counts.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        DTypeError: `dtype`, or the input's, is neither floating nor complex.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.mean(x, mask=mask)
    tensor(2.5000)
    """
    dims = dims_of("mean", input, dim)
    x = input if dtype is None else input.to(dtype)
    if not (x.is_floating_point() or x.is_complex()):
        raise DTypeError(f"mean: dtype {x.dtype}; a floating or complex one is needed")
    total = sum(x, dims, keepdim=keepdim, mask=mask)
    return total / count_of("mean", input, dims, mask, keepdim)


def median(
    input: Tensor,
    dim: int = -1,
    *,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Find the lower median of the elements that count.

    Args:
        input: A dense tensor.
        dim: Along which dim.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor, NaN where nothing counts. NaN never counts.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        ValueError: None of some integers counts.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.median(x, 0, mask=mask)
    tensor(2.)
    """
    (place,) = dims_of("median", input, check.integer("median", "dim", dim)) or (0,)
    is_floating = input.is_floating_point()
    x = input if is_floating else input.to(_engine.float32)
    found = filled("median", x, mask, float("nan")).nanmedian(place, keepdim).values
    if not is_floating and bool(found.isnan().any()):
        raise ArgumentError("median: integers of which none counts; one at least is needed")
    kind = input.dtype if dtype is None and not is_floating else dtype
    return found if kind is None else found.to(kind)


def logsumexp(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Compute the logarithm of the sum of exponentials of the elements that count.

    Args:
        input: A dense tensor.
        dim: Along which dims: one, several, or None for all.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor, -inf where nothing counts.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.logsumexp(x, mask=mask)
    tensor(3.3133)
    """
    dims = dims_of("logsumexp", input, dim)
    found = filled("logsumexp", input, mask, lowest(input)).logsumexp(dims, keepdim)
    return found.to(input.dtype if dtype is None else dtype)


def norm(
    input: Tensor,
    ord: float = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Compute the norm of the elements that count, as of a vector.

    Args:
        input: A dense tensor.
        ord: The power: 2 of Euclid's norm, infinite ones of the largest and smallest size.
        dim: Along which dims: one, several, or None for all.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor; where nothing counts 0, inf at a power of -inf.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        DTypeError: The input is neither floating nor complex.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.norm(x, 1, mask=mask)
    tensor(5.)
    """
    from garboard.linalg import vector_norm

    dims = dims_of("norm", input, dim)
    number = float("inf") if ord == -float("inf") else 0
    x = filled("norm", input, mask, number)
    return vector_norm(x, ord, dims, keepdim, dtype=dtype)


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Compute the variance of the elements that count.

    Args:
        input: A dense tensor.
        dim: Along which dims: one, several, or None for all.
        unbiased: Divide by the count less 1, as by default, or by the count.
        correction: By how much less than the count to divide, instead.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's, float32 for integers.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor, NaN where nothing counts, or one element with the correction of 1.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        ValueError: Both `unbiased` and `correction`.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.var(x, mask=mask)
    tensor(0.5000)
    """
    if unbiased is not None and correction is not None:
        raise ArgumentError("var: unbiased and correction; one of them is needed")
    less = 1.0 if correction is None else float(check.real("var", "correction", correction))
    less = less if unbiased is None else float(unbiased)
    dims = dims_of("var", input, dim)
    is_whole = not (input.is_floating_point() or input.is_complex())
    kind = dtype if dtype is not None else _engine.float32 if is_whole else input.dtype
    x = filled("var", input, mask, 0).to(kind)
    count = count_of("var", input, dims, mask, True)
    far = x - x.sum(dims, keepdim=True) / count
    total = sum((far * far.conj()).real, dims, keepdim=keepdim, mask=mask)
    count = (count.reshape(total.shape) - less).clamp(min=0)
    return (total / count).to(kind)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: DType | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Compute the standard deviation of the elements that count.

    Args:
        input: A dense tensor.
        dim: Along which dims: one, several, or None for all.
        unbiased: Divide by the count less 1, as by default, or by the count.
        correction: By how much less than the count to divide, instead.
        keepdim: Keep them, with size 1.
        dtype: That of the result; by default the input's, float32 for integers.
        mask: True where an element counts: bools, or what is read as such, in sizes that broadcast
            to the input's. None for everywhere.

    Returns:
        A new tensor, NaN where nothing counts, or one element with the correction of 1.

    Raises:
        ShapeError: Sizes that do not fit, a dim that is not there.
        ValueError: Both `unbiased` and `correction`.
        TypeError: No tensors.

    >>> x, mask = gb.tensor([3.0, 1.0, 2.0]), gb.tensor([True, False, True])
    >>> gb.masked.std(x, mask=mask)
    tensor(0.7071)
    """
    return var(
        input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask
    ).sqrt()


all_overridable(globals())

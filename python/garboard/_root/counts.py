"""Draws, norms and reductions that PyTorch has at its root beside those of its modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._engine import ShapeError, Tensor
from garboard._native import add_methods
from garboard.linalg import matrix_norm, vector_norm

if TYPE_CHECKING:
    from garboard._contexts.generator import Generator
    from garboard.types import Size

__all__ = ["binomial", "frobenius_norm", "nonzero_static", "nuclear_norm", "segment_reduce"]


def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw how many of `count` trials succeed, each with a probability.

    Raises:
        NotImplementedError: A generator of one's own; the default one draws.
    """
    from garboard.distributions._binomial_draws import binomial_draws

    if generator is not None:
        raise NotImplementedError("binomial: a generator; leave it out, and use gb.manual_seed()")
    counts, probs = _engine.broadcast_tensors(count, prob)
    return binomial_draws(counts, probs)


def frobenius_norm(input: Tensor, dim: int | Size = (), keepdim: bool = False) -> Tensor:
    """Return the root of the sum of squares, over all dims or over some."""
    dims = None if dim in ((), []) else dim
    return vector_norm(input, 2, dims, keepdim)


def nuclear_norm(input: Tensor, *given: Any, **named: Any) -> Tensor:
    """Return the sum of a matrix's singular values: `dim` and `keepdim` may follow."""
    dim: Any = named.pop("dim", (-2, -1))
    keepdim = named.pop("keepdim", False)
    if given and not isinstance(given[0], bool):
        dim, *rest = given
    else:
        rest = [*given]
    if rest:
        (keepdim,) = rest
    return matrix_norm(input, "nuc", dim, keepdim)


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Return the places of elements that are not 0, cut off or filled up to `size` rows.

    Args:
        input: Tensor of any sizes.
        size: How many rows.
        fill_value: What fills them up.

    Returns:
        int64 tensor [size, dims].

    Raises:
        ShapeError: `size` is negative.
        TypeError: An argument is no integer.
        DisposedError: The tensor is disposed.

    >>> gb.tensor([0, 5]).nonzero_static(size=2)
    tensor([[ 1],
            [-1]])
    """
    wanted = check.size("nonzero_static", "size", size)
    found = input.nonzero()[:wanted]
    filler = found.new_full((wanted - found.shape[0], found.shape[1]), fill_value)
    return _engine.cat([found, filler])


_EMPTY = {"sum": 0.0, "prod": 1.0, "mean": float("nan"), "max": -float("inf"), "min": float("inf")}


def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """Return the sum, mean, product or bound of each segment along a dim.

    Segments are told by their lengths, or by where each begins and the last one ends; both have
    the dims of `data` before `axis`.

    Raises:
        ValueError: Another `reduce`, or neither lengths nor offsets.
        ShapeError: The lengths have other dims, or do not fit.
        IndexOutOfRangeError: `axis` is no dim of `data`.
    """
    op = "segment_reduce"
    how = check.choice(op, "reduce", reduce, *_EMPTY)
    if (lengths is None) == (offsets is None) or indices is not None:
        raise ValueError(f"{op}: lengths or offsets, one of them, are needed")
    counts = offsets.diff(dim=-1) if lengths is None and offsets is not None else lengths
    assert counts is not None
    along = check.place(op, "axis", axis, data.ndim)
    if counts.ndim != along + 1 or counts.shape[:-1] != data.shape[:along]:
        raise ShapeError(
            f"{op}: lengths of sizes {[*counts.shape]} for {[*data.shape]}; those before dim "
            f"{along}, and a dim of segments, are needed"
        )
    rows = [
        _of_segments(row, sizes, how, initial)
        for row, sizes in zip(
            data.reshape(-1, *data.shape[along:]).unbind(0),
            counts.reshape(-1, counts.shape[-1]).tolist(),
            strict=True,
        )
    ]
    joined = _engine.stack(rows)
    return joined.reshape(*counts.shape, *data.shape[along + 1 :])


def _of_segments(row: Tensor, sizes: list[int], how: str, initial: float | None) -> Tensor:
    if sum(sizes) > row.shape[0] or min(sizes, default=0) < 0:
        raise ShapeError(
            f"segment_reduce: lengths from {min(sizes)}, {sum(sizes)} in all, of {row.shape[0]}; "
            "they must fit"
        )
    parts = row[: sum(sizes)].split(sizes)
    return _engine.stack([_reduced(part, how, initial) for part in parts])


def _reduced(part: Tensor, how: str, initial: float | None) -> Tensor:
    if not part.shape[0]:
        fill = _EMPTY[how] if initial is None else initial
        return part.new_full(part.shape[1:], fill)
    if how == "max":
        found = part.amax(0)
        return found if initial is None else found.clamp(min=initial)
    if how == "min":
        found = part.amin(0)
        return found if initial is None else found.clamp(max=initial)
    if how == "prod":
        return part.prod(0) * (1.0 if initial is None else initial)
    total = part.sum(0) if initial is None else part.sum(0) + initial
    return total / part.shape[0] if how == "mean" else total


add_methods(Tensor, {"nonzero_static": nonzero_static})

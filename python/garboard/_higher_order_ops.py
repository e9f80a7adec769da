"""Functions of functions that programs look for in this module of PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garboard._arguments import check
from garboard._engine import ShapeError, Tensor, cat
from garboard._names.paths import publish_paths

__all__ = ["associative_scan"]


def associative_scan(
    combine_fn: Callable[[Any, Any], Any],
    xs: Any,
    dim: int,
    reverse: bool = False,
    combine_mode: str = "pointwise",
) -> Any:
    """Combine each place along `dim` with all before it: running sums, and what is like them.

    In log2 n steps, each of which calls the function once, for all places together (Hillis and
    Steele, "Data parallel algorithms", 1986): the order of combining must not matter, and the
    function must treat places apart.

    Args:
        combine_fn: Given two nests like `xs`, returns a third.
        xs: A tensor, or a nest of tensors of one size along `dim`.
        dim: Along which.
        reverse: Begin at the end.
        combine_mode: "pointwise" or "generic": the same here.

    Returns:
        A nest like `xs`.

    Raises:
        ShapeError: There are no tensors, or they differ in size along `dim`.
        TypeError: An argument of another type.
        ValueError: Another `combine_mode`.

    >>> from garboard._higher_order_ops import associative_scan
    >>> associative_scan(gb.mul, gb.tensor([1, 2, 3, 4]), dim=0)
    tensor([ 1,  2,  6, 24])
    """
    from garboard.utils._pytree import tree_flatten, tree_unflatten

    op = "associative_scan"
    combine = check.function(op, "combine_fn", combine_fn)
    is_backward = check.flag(op, "reverse", reverse)
    check.choice(op, "combine_mode", combine_mode, "pointwise", "generic")
    leaves, form = tree_flatten(xs)
    now = [check.tensor(op, "one of xs", leaf) for leaf in leaves]
    counts = {leaf.size(dim) for leaf in now}
    if len(counts) != 1:
        raise ShapeError(
            f"{op}: {len(now)} tensors of {len(counts)} sizes along dim; one size is needed"
        )
    (count,) = counts
    step = 1
    while step < count:
        # What lies `step` places back, beside what has as many before it.
        first, later = (0, step) if not is_backward else (step, 0)
        rest = count - step
        before = tree_unflatten([leaf.narrow(dim, first, rest) for leaf in now], form)
        here = tree_unflatten([leaf.narrow(dim, later, rest) for leaf in now], form)
        made: list[Tensor] = tree_flatten(combine(before, here))[0]
        if is_backward:
            ends = [leaf.narrow(dim, rest, step) for leaf in now]
            now = [cat([it, end], dim) for it, end in zip(made, ends, strict=True)]
        else:
            ends = [leaf.narrow(dim, 0, step) for leaf in now]
            now = [cat([end, it], dim) for it, end in zip(made, ends, strict=True)]
        step *= 2
    return tree_unflatten(now, form)


publish_paths(__name__)

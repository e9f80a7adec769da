"""Parts of an attention over several heads, for programs that put one of their own together."""

from __future__ import annotations

from math import inf
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import PartsError
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, Tensor, linear, zeros
from garboard.nn import _reduction
from garboard.nn.modules.utils import _pair, _single, _triple
from garboard.overrides import (
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)

__all__ = [
    "_Reduction",
    "_canonical_mask",
    "_in_projection",
    "_in_projection_packed",
    "_mha_shape_check",
    "_none_or_dtype",
    "_pair",
    "_single",
    "_triple",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
]

_Reduction = _reduction


def _in_projection_packed(
    q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None
) -> list[Tensor]:
    """Return what queries, keys and values become under one weight of three times their features.

    Args:
        q: The queries [..., features].
        k: The keys; where they are `q`, and the values too, one product makes all three.
        v: The values.
        w: The weight [3 * features, features].
        b: The bias [3 * features].

    >>> from garboard.nn.functional import _attention_parts as parts
    >>> x = gb.ones(2, 4)
    >>> [it.shape for it in parts._in_projection_packed(x, x, x, gb.ones(12, 4))]
    [(2, 4), (2, 4), (2, 4)]
    """
    if q is k and k is v:
        return list(linear(q, w, b).chunk(3, -1))
    weights = w.chunk(3)
    biases: Any = (None, None, None) if b is None else b.chunk(3)
    parts = zip((q, k, v), weights, biases, strict=True)
    return [linear(x, weight, bias) for x, weight, bias in parts]


def _in_projection(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return what queries, keys and values become, each under a weight and a bias of its own.

    >>> from garboard.nn.functional import _attention_parts as parts
    >>> x, w = gb.ones(2, 4), gb.ones(4, 4)
    >>> len(parts._in_projection(x, x, x, w, w, w))
    3
    """
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _none_or_dtype(input: Tensor | None) -> _engine.dtype | None:
    """Return a mask's dtype, or None where there is none."""
    return None if input is None else check.tensor("_none_or_dtype", "input", input).dtype


def _canonical_mask(
    mask: Tensor | None,
    mask_name: str,
    other_type: _engine.dtype | None,
    other_name: str,
    target_type: _engine.dtype,
    check_other: bool = True,
) -> Tensor | None:
    """Return a mask as what is added to scores: of a mask of bools, -inf where it is true.

    Args:
        mask: Of bools, or of a floating dtype, which is returned as it is; or None.
        mask_name: What it is called in errors.
        other_type: Ignored, as are the next and the last: masks of two dtypes go together.
        other_name: Ignored.
        target_type: The dtype of what a mask of bools becomes.
        check_other: Ignored.

    Raises:
        DTypeError: The mask is of integers.

    >>> from garboard.nn.functional import _attention_parts as parts
    >>> parts._canonical_mask(gb.tensor([True, False]), "mask", None, "", gb.float32)
    tensor([-inf, 0.])
    """
    if mask is None or check.tensor("attention", mask_name, mask).is_floating_point():
        return mask
    if mask.dtype != _engine.bool:
        raise DTypeError(
            f"attention: {shown(mask_name)} of dtype {mask.dtype}; bool or a floating one is needed"
        )
    made: Tensor = zeros(mask.shape, dtype=target_type, device=mask.device).masked_fill(mask, -inf)
    return made


def _mha_shape_check(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None,
    attn_mask: Tensor | None,
    num_heads: int,
) -> bool:
    """Tell whether the queries are of several sequences, after a look at all dims.

    Args:
        query: [places, sequences, features], or [places, features] of one sequence.
        key: Of as many dims.
        value: Of as many dims.
        key_padding_mask: Of one dim fewer, or None.
        attn_mask: Of two or three dims, or None.
        num_heads: Of one sequence, the size of the first of an `attn_mask`'s three dims.

    Raises:
        ShapeError: Other dims.

    >>> from garboard.nn.functional import _attention_parts as parts
    >>> x = gb.ones(5, 2, 4)
    >>> parts._mha_shape_check(x, x, x, None, None, 2)
    True
    """
    op, dims = "attention", check.tensor("attention", "query", query).ndim
    if dims not in (2, 3):
        raise PartsError(f"{op}: query of {dims} dims; two or three are needed")
    others = {"key": key, "value": value, "key_padding_mask": key_padding_mask}
    for name, one in others.items():
        wanted = dims - (name == "key_padding_mask")
        if one is not None and check.tensor(op, name, one).ndim != wanted:
            raise PartsError(
                f"{op}: {name} of {one.ndim} dims beside a query of {dims}; {wanted} are needed"
            )
    if attn_mask is not None:
        if check.tensor(op, "attn_mask", attn_mask).ndim not in (2, 3):
            raise PartsError(f"{op}: attn_mask of {attn_mask.ndim} dims; two or three are needed")
        wanted_sizes = (num_heads, query.shape[0], key.shape[0])
        if dims == 2 and attn_mask.ndim == 3 and tuple(attn_mask.shape) != wanted_sizes:
            raise PartsError(
                f"{op}: attn_mask of sizes {list(attn_mask.shape)}; {list(wanted_sizes)} are needed"
            )
    return dims == 3

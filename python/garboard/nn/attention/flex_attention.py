"""Attention whose scores and masks are functions of the program's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._engine import ShapeError, Tensor
from garboard.nn.attention import block_mask as _masks
from garboard.nn.attention.block_mask import (
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    noop_mask,
    or_masks,
)

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]

_DEFAULT_SPARSE_BLOCK_SIZE = _masks._DEFAULT_SPARSE_BLOCK_SIZE
ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
_OP = "flex_attention"


class AuxRequest(NamedTuple):
    """What `flex_attention` is to return besides: logsumexps of scores, their largest."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What was asked for, each float32 [B, H, queries]; None where it was not."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: ScoreMod | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: dict[str, Any] | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """Mix values by softmax(score_mod(q k^T scale)) of those keys that a mask lets each query see.

    Without `score_mod` it is `scaled_dot_product_attention` with the mask: memory grows with the
    mask, a byte for each pair that it tells apart. With it the scores are whole tensors, of
    [B, H, queries, keys]. A query that sees no key gets zeros.

    Args:
        query: Floating [B, H, queries, features].
        key: [B, heads, keys, features]; one batch serves all.
        value: [B, heads, keys, features of the result].
        score_mod: `score_mod(score, b, h, q_idx, kv_idx)` gives new scores. It is called once, with
            all scores and with tensors of positions that broadcast with them; tensors that it uses
            get gradients.
        block_mask: What `create_block_mask` made; None lets all be seen.
        scale: What q k^T is multiplied by; None for 1 / sqrt(features).
        enable_gqa: Let each head of the keys serve several of the queries.
        return_lse: Return the logsumexp of each query's scores besides.
        kernel_options: Has no effect here.
        return_aux: What else to return, as AuxRequest says.

    Returns:
        [B, H, queries, features of the result]; with `return_lse` a pair of it and float32
        [B, H, queries]; with `return_aux` a pair of it and an AuxOutput.

    Raises:
        ShapeError: Sizes that do not fit, or a function that gives no value for each place.
        ValueError: Heads that differ without `enable_gqa`, or a mask of other lengths.
        TypeError: What is no tensor, function or BlockMask.

    >>> from garboard.nn.attention.flex_attention import create_block_mask, flex_attention
    >>> x = gb.ones(1, 2, 8, 4)
    >>> causal = create_block_mask(lambda b, h, q_idx, kv_idx: q_idx >= kv_idx, None, None, 8, 8)
    >>> near = lambda score, b, h, q_idx, kv_idx: score - (q_idx - kv_idx).abs()
    >>> flex_attention(x, x, x, score_mod=near, block_mask=causal).shape
    (1, 2, 8, 4)
    """
    sizes = _checked(query, key, value, enable_gqa)
    if score_mod is not None and not callable(score_mod):
        raise TypeError(
            f"{_OP}: score_mod of type {type(score_mod).__name__}; a function of score, b, h, q_idx"
            " and kv_idx is needed"
        )
    mask = None if block_mask is None else _seen(block_mask, sizes, query)
    wants = AuxRequest(return_lse) if return_aux is None else return_aux
    if score_mod is None and not any(wants):
        return _engine.scaled_dot_product_attention(
            query,
            key.expand(sizes[0], -1, -1, -1),
            value.expand(sizes[0], -1, -1, -1),
            attn_mask=mask,
            scale=scale,
            enable_gqa=enable_gqa,
        )
    mixed, aux = _with_scores(query, key, value, score_mod, mask, scale, sizes, wants)
    if return_aux is not None:
        return mixed, aux
    return (mixed, aux.lse) if return_lse else mixed


def _checked(query: Any, key: Any, value: Any, enable_gqa: bool) -> _masks.Sizes:
    for name, given in (("query", query), ("key", key), ("value", value)):
        check.of_type(Tensor, _OP, name, given)
    shapes = [list(it.shape) for it in (query, key, value)]
    told = f"{_OP}: query {shapes[0]}, key {shapes[1]}, value {shapes[2]}"
    q, k, v = shapes
    if any(len(it) != 4 for it in shapes):
        raise ShapeError(f"{told}; [batches, heads, length, features] are needed")
    if k[0] not in (1, q[0]) or k[:3] != v[:3] or k[3] != q[3]:
        raise ShapeError(
            f"{told}; keys and values of the same batches, heads and length, and as many features "
            "in keys as in queries, are needed"
        )
    if q[1] != k[1] and not (enable_gqa and k[1] and q[1] % k[1] == 0):
        raise ValueError(
            f"{told}; as many heads are needed, or with enable_gqa=True a multiple in the query"
        )
    return q[0], q[1], q[2], k[2]


def _seen(block_mask: Any, sizes: _masks.Sizes, query: Tensor) -> Tensor:
    check.of_type(BlockMask, _OP, "block_mask", block_mask)
    if tuple(block_mask.seq_lengths) != sizes[2:]:
        raise ValueError(
            f"{_OP}: a block_mask of {block_mask.seq_lengths[0]} queries and "
            f"{block_mask.seq_lengths[1]} keys, query and key of {sizes[2]} and {sizes[3]}; "
            "create one of these lengths"
        )
    seen: Tensor = block_mask._seen(_OP, sizes, query.device)
    return seen


def _with_scores(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: ScoreMod | None,
    mask: Tensor | None,
    scale: float | None,
    sizes: _masks.Sizes,
    wants: AuxRequest,
) -> tuple[Tensor, AuxOutput]:
    if (times := sizes[1] // max(key.shape[1], 1)) > 1:
        key, value = (it.repeat_interleave(times, dim=1) for it in (key, value))
    wide = query.dtype if query.dtype == _engine.float64 else _engine.float32
    by = query.shape[-1] ** -0.5 if scale is None else scale
    scores = (query.to(wide) @ key.to(wide).transpose(-2, -1)) * by
    if score_mod is not None:
        given = score_mod(scores, *_masks.positions(sizes, query.device))
        scores = _masks.broadcast(f"{_OP}: score_mod", given, sizes).to(wide).expand(*sizes)
    lowest = -float("inf")
    if mask is not None:
        scores = scores.masked_fill(~mask, lowest)
    sees = (scores > lowest).any(-1, keepdim=True)
    kept = scores.masked_fill(~sees, 0.0)  # softmax has no value where all are -inf, nor a gradient
    weights = kept.softmax(-1).masked_fill(~sees, 0.0)
    mixed = (weights @ value.to(wide)).to(query.dtype)
    blind = ~sees.squeeze(-1)
    lse = kept.logsumexp(-1).masked_fill(blind, lowest).float() if wants.lse else None
    highest = scores.amax(-1).float() if wants.max_scores else None
    return mixed, AuxOutput(lse, highest)

"""Attention with several heads, as a function; the layer is it with parameters of its own."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError, PartsError
from garboard._arguments.overridable import all_overridable
from garboard._engine import (
    ShapeError,
    Tensor,
    cat,
    dropout,
    linear,
    matmul,
    scaled_dot_product_attention,
    softmax,
    where,
    zeros,
)
from garboard._engine import (
    bool as boolean,
)

__all__ = ["Heads", "attended", "multi_head_attention_forward"]


class Heads(NamedTuple):
    """What an attention with several heads is made of."""

    op: str
    embed_dim: int
    num_heads: int
    widths: tuple[int, int]  # of keys and values
    packed: Tensor | None  # the weights of all three projections
    apart: tuple[Tensor | None, Tensor | None, Tensor | None]  # or each on its own
    bias: Tensor | None
    more: tuple[Tensor | None, Tensor | None]  # a key and a value behind all sequences
    adds_zeros: bool
    out: tuple[Tensor, Tensor | None]  # the last map's weight and bias
    dropout: float
    is_batch_first: bool

    def check(self, query: Tensor, key: Tensor, value: Tensor) -> bool:
        """Whether there is no batch dim."""
        name = self.op
        dims = check.tensor(name, "query", query).ndim
        widths = (("query", query, self.embed_dim), ("key", key, self.widths[0]))
        for said, tensor, width in (*widths, ("value", value, self.widths[1])):
            shape = check.tensor(name, said, tensor).shape
            if dims not in (2, 3) or len(shape) != dims or shape[-1] != width:
                raise PartsError(
                    f"{name}: {said} of sizes {shape}, query of sizes {query.shape}; two or three "
                    f"dims, as many of each, are needed, the last one of size {width}"
                )
        if key.shape[:-1] != value.shape[:-1]:
            raise PartsError(
                f"{name}: key of sizes {key.shape}, value of sizes {value.shape}; all but the last "
                "must be equal"
            )
        batch = 0 if self.is_batch_first else 1
        if dims == 3 and key.shape[batch] != query.shape[batch]:
            raise PartsError(
                f"{name}: query of sizes {query.shape}, key of sizes {key.shape}; the batches must "
                "be equal"
            )
        return dims == 2

    def projected(self, given: list[Tensor]) -> list[Tensor]:
        width = self.embed_dim
        packed, bias = self.packed, self.bias
        if packed is not None and given[0] is given[1] is given[2]:
            made = linear(given[0], packed, bias)
            return [made.narrow(-1, i * width, width) for i in range(3)]
        weights: list[Any] = list(self.apart)
        if packed is not None:
            weights = [packed.narrow(0, i * width, width) for i in range(3)]
        return [
            linear(tensor, weights[i], None if bias is None else bias.narrow(0, i * width, width))
            for i, tensor in enumerate(given)
        ]

    def appended(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor, int]:
        """Keys and values with those behind that every sequence sees, and how many they are."""
        added = 0
        n = k.shape[0]
        more_k, more_v = self.more
        if more_k is not None and more_v is not None:
            k = cat([k, more_k.expand(n, 1, self.embed_dim)], 1)
            v = cat([v, more_v.expand(n, 1, self.embed_dim)], 1)
            added += 1
        if self.adds_zeros:
            nothing = zeros(n, 1, self.embed_dim, dtype=k.dtype, device=k.device)
            k, v = cat([k, nothing], 1), cat([v, nothing], 1)
            added += 1
        return q, k, v, added

    def in_heads(self, tensor: Tensor) -> Tensor:
        n, length, _ = tensor.shape
        return tensor.reshape(
            n, length, self.num_heads, self.embed_dim // self.num_heads
        ).transpose(1, 2)

    def mask(
        self,
        attn_mask: Tensor | None,
        padding: Tensor | None,
        sizes: tuple[int, int, int],
        added: int,
        like: Tensor,
    ) -> Tensor | None:
        """What is added to the scores, [n or 1, heads or 1, rows or 1, columns]."""
        n, rows, columns = sizes
        mask = None
        if attn_mask is not None:
            mask = self._to_add("attn_mask", attn_mask, like)
            shape = tuple(mask.shape)
            if shape == (n * self.num_heads, rows, columns):
                mask = mask.reshape(n, self.num_heads, rows, columns)
            elif shape != (rows, columns):
                raise PartsError(
                    f"{self.op}: attn_mask of sizes {shape}; {(rows, columns)} or "
                    f"{(n * self.num_heads, rows, columns)} are needed"
                )
            else:
                mask = mask.reshape(1, 1, rows, columns)
        if padding is not None:
            more = self._to_add("key_padding_mask", padding, like)
            if tuple(more.shape) != (n, columns):
                raise PartsError(
                    f"{self.op}: key_padding_mask of sizes {tuple(more.shape)}; "
                    f"{(n, columns)} are needed"
                )
            more = more.reshape(n, 1, 1, columns)
            mask = more if mask is None else mask + more
        if mask is not None and added:
            free = zeros(*mask.shape[:-1], added, dtype=mask.dtype, device=mask.device)
            mask = cat([mask, free], -1)
        return mask

    def _to_add(self, said: str, mask: Tensor, like: Tensor) -> Tensor:
        """Of a bool mask, where true keeps away, minus infinity there."""
        mask = check.tensor(self.op, said, mask)
        if mask.dtype == boolean:
            return where(mask, -inf, zeros(1, dtype=like.dtype, device=like.device))
        return mask.to(like.dtype)


def attended(
    heads: Heads,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None,
    need_weights: bool,
    attn_mask: Tensor | None,
    average_attn_weights: bool,
    is_causal: bool,
) -> tuple[Tensor, Tensor | Any]:
    """What the layer returns."""
    is_single = heads.check(query, key, value)
    if is_causal and attn_mask is None:
        raise ArgumentError(
            f"{heads.op}: is_causal without attn_mask; give the mask that it is a hint of, as "
            "Transformer.generate_square_subsequent_mask makes it"
        )
    given = [query, key, value]
    if is_single:
        given = [tensor.unsqueeze(0) for tensor in given]
    elif not heads.is_batch_first:
        given = [tensor.transpose(0, 1) for tensor in given]
    if is_single and key_padding_mask is not None:
        key_padding_mask = check.tensor(heads.op, "key_padding_mask", key_padding_mask).unsqueeze(0)
    n, rows, columns = given[0].shape[0], given[0].shape[1], given[1].shape[1]
    q, k, v = heads.projected(given)
    q, k, v, added = heads.appended(q, k, v)
    q, k, v = (heads.in_heads(tensor) for tensor in (q, k, v))
    mask = heads.mask(attn_mask, key_padding_mask, (n, rows, columns), added, query)
    rate = heads.dropout
    weights: Tensor | None = None
    if need_weights:
        scores = matmul(q * (heads.embed_dim // heads.num_heads) ** -0.5, k.transpose(-2, -1))
        weights = softmax(scores if mask is None else scores + mask, -1)
        weights = dropout(weights, rate, True)
        mixed = matmul(weights, v)
        if average_attn_weights:
            weights = weights.mean(1)
    else:
        causal = bool(is_causal) and key_padding_mask is None and not added
        mixed = scaled_dot_product_attention(
            q, k, v, None if causal else mask, rate, is_causal=causal
        )
    mixed = mixed.transpose(1, 2)
    if not is_single and not heads.is_batch_first:
        mixed = mixed.transpose(0, 1)
    mixed = linear(mixed.reshape(*mixed.shape[:2], heads.embed_dim), *heads.out)
    if is_single:
        mixed = mixed.squeeze(0)
        weights = None if weights is None else weights.squeeze(0)
    return mixed, weights


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | Any]:
    """Mix values by how well their keys match queries, in several heads, with given parameters.

    What `MultiheadAttention` computes, of sequences [length, n, features] or [length, features].

    Args:
        query: The queries.
        key: The keys.
        value: The values, as many.
        embed_dim_to_check: Features of the queries and of the result.
        num_heads: How many heads; it divides them.
        in_proj_weight: [3 embed_dim, embed_dim]; None with weights apart.
        in_proj_bias: [3 embed_dim], or None.
        bias_k: A key behind those of all sequences, [1, 1, embed_dim], or None.
        bias_v: A value there, likewise.
        add_zero_attn: Append a key and a value of zeros.
        dropout_p: With which probability elements of the softmax are dropped, in training.
        out_proj_weight: [embed_dim, embed_dim].
        out_proj_bias: [embed_dim], or None.
        training: Whether anything is dropped.
        key_padding_mask: As for the layer.
        need_weights: Whether the weights are returned, too.
        attn_mask: As for the layer.
        use_separate_proj_weight: Use the next three instead of `in_proj_weight`.
        q_proj_weight: [embed_dim, embed_dim].
        k_proj_weight: [embed_dim, features of the keys].
        v_proj_weight: [embed_dim, features of the values].
        static_k: None alone.
        static_v: None alone.
        average_attn_weights: Whether the weights are the mean over the heads.
        is_causal: As for the layer.

    Returns:
        A pair: new tensors of the query's sizes, and of [n, queries, keys], or None for these.

    Raises:
        ShapeError: Sizes that do not fit, or heads that do not divide embed_dim_to_check.
        ValueError: `static_k` or `static_v`, weights that are missing, or `is_causal` without a
            mask.
        TypeError: An argument of another type.
        DisposedError: A tensor is disposed.

    >>> x, weight = gb.ones(3, 1, 2), gb.eye(2)
    >>> mixed, _ = gb.nn.functional.multi_head_attention_forward(
    ...     x, x, x, 2, 1, gb.cat([weight] * 3), None, None, None, False, 0.0, weight, None)
    >>> mixed.shape
    (3, 1, 2)
    """
    op = "multi_head_attention_forward"
    width = check.count(op, "embed_dim_to_check", embed_dim_to_check, 1)
    count = check.count(op, "num_heads", num_heads, 1)
    if width % count:
        raise PartsError(f"{op}: {width} features in {count} heads; the heads must divide them")
    if static_k is not None or static_v is not None:
        raise ArgumentError(f"{op}: static_k or static_v; give key and value, and leave them out")
    weights = {"q_proj_weight": q_proj_weight, "k_proj_weight": k_proj_weight}
    weights["v_proj_weight"] = v_proj_weight
    if check.flag(op, "use_separate_proj_weight", use_separate_proj_weight):
        packed = None
    else:
        packed = check.tensor(op, "in_proj_weight", in_proj_weight)
        weights = dict.fromkeys(weights)
    apart = [check.tensor(op, name, it) if packed is None else None for name, it in weights.items()]
    widths = (width, width)
    if packed is None:
        key_weight, value_weight = apart[1], apart[2]
        assert key_weight is not None
        assert value_weight is not None
        if min(key_weight.ndim, value_weight.ndim) < 2:
            raise ShapeError(f"{op}: weights of fewer than two dims; [embed_dim, features] are")
        widths = (key_weight.shape[-1], value_weight.shape[-1])
    rate = check.share(op, "dropout_p", dropout_p)
    out_weight = check.tensor(op, "out_proj_weight", out_proj_weight)
    return attended(
        Heads(
            op,
            width,
            count,
            widths,
            packed,
            (apart[0], apart[1], apart[2]),
            in_proj_bias,
            (bias_k, bias_v),
            check.flag(op, "add_zero_attn", add_zero_attn),
            (out_weight, out_proj_bias),
            rate if check.flag(op, "training", training) else 0.0,
            False,
        ),
        query,
        key,
        value,
        key_padding_mask,
        need_weights,
        attn_mask,
        average_attn_weights,
        is_causal,
    )


all_overridable(globals())

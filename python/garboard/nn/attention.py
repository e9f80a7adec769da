"""Attention with several heads."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from garboard import _check as check
from garboard._engine import (
    ShapeError,
    Tensor,
    cat,
    dropout,
    empty,
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
from garboard.nn import init
from garboard.nn.linear import Linear
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Mix values by how well their keys match queries, in several heads side by side.

    Query, key and value are projected, cut into heads of embed_dim / num_heads features, mixed by
    softmax(q k^T / sqrt(features) + mask) v in each, and projected again (Vaswani et al.,
    "Attention is all you need", arXiv:1706.03762). Parameters have PyTorch's names and start as its
    do. Without weights asked for, memory grows with the length alone.

    Args:
        embed_dim: Features of the queries and of the result.
        num_heads: How many heads; it divides embed_dim.
        dropout: With which probability elements of the softmax are dropped, in training.
        bias: Add learned biases in the projections.
        add_bias_kv: Append a learned key and value to all sequences.
        add_zero_attn: Append a key and a value of zeros.
        kdim: Features of the keys; None for embed_dim.
        vdim: Features of the values; None for embed_dim.
        batch_first: Take and give [n, length, features], else [length, n, features].
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: Heads that do not divide embed_dim; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: A number that cannot be.

    >>> x = gb.ones(2, 5, 8)
    >>> mixed, weights = gb.nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)
    >>> mixed.shape, weights.shape
    ((2, 5, 8), (2, 5, 5))
    """

    # None where settings leave them out
    in_proj_weight: Parameter | Any
    q_proj_weight: Parameter | Any
    k_proj_weight: Parameter | Any
    v_proj_weight: Parameter | Any
    in_proj_bias: Parameter | Any
    bias_k: Parameter | Any
    bias_v: Parameter | Any

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        name = "MultiheadAttention"
        self.embed_dim: int = check.count(name, "embed_dim", embed_dim, 1)
        self.num_heads: int = check.count(name, "num_heads", num_heads, 1)
        if self.embed_dim % self.num_heads:
            raise ShapeError(
                f"{name}: embed_dim {self.embed_dim}, num_heads {self.num_heads}; the heads must "
                "divide it"
            )
        self.head_dim: int = self.embed_dim // self.num_heads
        self.kdim: int = self.embed_dim if kdim is None else check.count(name, "kdim", kdim, 1)
        self.vdim: int = self.embed_dim if vdim is None else check.count(name, "vdim", vdim, 1)
        self.dropout: float = check.share(name, "dropout", dropout)
        self.batch_first: bool = check.flag(name, "batch_first", batch_first)
        self.add_zero_attn: bool = check.flag(name, "add_zero_attn", add_zero_attn)
        has_bias = check.flag(name, "bias", bias)
        width = self.embed_dim
        is_alike = self.kdim == width and self.vdim == width
        shapes: dict[str, tuple[int, ...] | None] = {
            "in_proj_weight": (3 * width, width) if is_alike else None,
            "q_proj_weight": None if is_alike else (width, width),
            "k_proj_weight": None if is_alike else (width, self.kdim),
            "v_proj_weight": None if is_alike else (width, self.vdim),
            "in_proj_bias": (3 * width,) if has_bias else None,
        }
        for said, shape in shapes.items():
            made = None if shape is None else empty(*shape, dtype=dtype, device=device)
            self.register_parameter(said, None if made is None else Parameter(made))
        self.out_proj: Linear = Linear(width, width, has_bias, device, dtype)
        for said in ("bias_k", "bias_v"):
            made = empty(1, 1, width, dtype=dtype, device=device) if add_bias_kv else None
            self.register_parameter(said, None if made is None else Parameter(made))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the projections anew and set their biases to zeros.

        >>> layer = gb.nn.MultiheadAttention(4, 2)
        >>> layer.reset_parameters()
        >>> layer.in_proj_bias.abs().sum().item()
        0.0
        """
        for weight in (
            self.in_proj_weight,
            self.q_proj_weight,
            self.k_proj_weight,
            self.v_proj_weight,
        ):
            if weight is not None:
                init.xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | Any]:
        is_single = self._check(query, key, value)
        if is_causal and attn_mask is None:
            raise ValueError(
                "MultiheadAttention: is_causal without attn_mask; give the mask that it is a hint "
                "of, as Transformer.generate_square_subsequent_mask makes it"
            )
        given = [query, key, value]
        if is_single:
            given = [tensor.unsqueeze(0) for tensor in given]
        elif not self.batch_first:
            given = [tensor.transpose(0, 1) for tensor in given]
        if is_single and key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
        n, rows, columns = given[0].shape[0], given[0].shape[1], given[1].shape[1]
        q, k, v = self._projected(given)
        q, k, v, added = self._appended(q, k, v)
        q, k, v = (self._in_heads(tensor) for tensor in (q, k, v))
        mask = self._mask(attn_mask, key_padding_mask, (n, rows, columns), added, query)
        rate = self.dropout if self.training else 0.0
        weights: Tensor | None = None
        if need_weights:
            scores = matmul(q * self.head_dim**-0.5, k.transpose(-2, -1))
            weights = softmax(scores if mask is None else scores + mask, -1)
            weights = dropout(weights, rate, self.training)
            mixed = matmul(weights, v)
            if average_attn_weights:
                weights = weights.mean(1)
        else:
            causal = bool(is_causal) and key_padding_mask is None and not added
            mixed = scaled_dot_product_attention(
                q, k, v, None if causal else mask, rate, is_causal=causal
            )
        mixed = self.out_proj(mixed.transpose(1, 2).reshape(n, rows, self.embed_dim))
        if is_single:
            mixed = mixed.squeeze(0)
            weights = None if weights is None else weights.squeeze(0)
        elif not self.batch_first:
            mixed = mixed.transpose(0, 1)
        return mixed, weights

    if TYPE_CHECKING:

        def __call__(
            self,
            query: Tensor,
            key: Tensor,
            value: Tensor,
            key_padding_mask: Tensor | None = None,
            need_weights: bool = True,
            attn_mask: Tensor | None = None,
            average_attn_weights: bool = True,
            is_causal: bool = False,
        ) -> tuple[Tensor, Tensor | Any]: ...

    def _check(self, query: Tensor, key: Tensor, value: Tensor) -> bool:
        """Whether there is no batch dim."""
        name = "MultiheadAttention"
        dims = check.tensor(name, "query", query).ndim
        widths = (("query", query, self.embed_dim), ("key", key, self.kdim))
        for said, tensor, width in (*widths, ("value", value, self.vdim)):
            shape = check.tensor(name, said, tensor).shape
            if dims not in (2, 3) or len(shape) != dims or shape[-1] != width:
                raise ShapeError(
                    f"{name}: {said} of sizes {shape}, query of sizes {query.shape}; two or three "
                    f"dims, as many of each, are needed, the last one of size {width}"
                )
        if key.shape[:-1] != value.shape[:-1]:
            raise ShapeError(
                f"{name}: key of sizes {key.shape}, value of sizes {value.shape}; all but the last "
                "must be equal"
            )
        batch = 0 if self.batch_first else 1
        if dims == 3 and key.shape[batch] != query.shape[batch]:
            raise ShapeError(
                f"{name}: query of sizes {query.shape}, key of sizes {key.shape}; the batches must "
                "be equal"
            )
        return dims == 2

    def _projected(self, given: list[Tensor]) -> list[Tensor]:
        width = self.embed_dim
        packed, bias = self.in_proj_weight, self.in_proj_bias
        if packed is not None and given[0] is given[1] is given[2]:
            made = linear(given[0], packed, bias)
            return [made.narrow(-1, i * width, width) for i in range(3)]
        weights: list[Any] = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        if packed is not None:
            weights = [packed.narrow(0, i * width, width) for i in range(3)]
        return [
            linear(tensor, weights[i], None if bias is None else bias.narrow(0, i * width, width))
            for i, tensor in enumerate(given)
        ]

    def _appended(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor, int]:
        """Keys and values with those behind that every sequence sees, and how many they are."""
        added = 0
        n = k.shape[0]
        if self.bias_k is not None and self.bias_v is not None:
            k = cat([k, self.bias_k.expand(n, 1, self.embed_dim)], 1)
            v = cat([v, self.bias_v.expand(n, 1, self.embed_dim)], 1)
            added += 1
        if self.add_zero_attn:
            nothing = zeros(n, 1, self.embed_dim, dtype=k.dtype, device=k.device)
            k, v = cat([k, nothing], 1), cat([v, nothing], 1)
            added += 1
        return q, k, v, added

    def _in_heads(self, tensor: Tensor) -> Tensor:
        n, length, _ = tensor.shape
        return tensor.reshape(n, length, self.num_heads, self.head_dim).transpose(1, 2)

    def _mask(
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
                raise ShapeError(
                    f"MultiheadAttention: attn_mask of sizes {shape}; {(rows, columns)} or "
                    f"{(n * self.num_heads, rows, columns)} are needed"
                )
            else:
                mask = mask.reshape(1, 1, rows, columns)
        if padding is not None:
            more = self._to_add("key_padding_mask", padding, like)
            if tuple(more.shape) != (n, columns):
                raise ShapeError(
                    f"MultiheadAttention: key_padding_mask of sizes {tuple(more.shape)}; "
                    f"{(n, columns)} are needed"
                )
            more = more.reshape(n, 1, 1, columns)
            mask = more if mask is None else mask + more
        if mask is not None and added:
            free = zeros(*mask.shape[:-1], added, dtype=mask.dtype, device=mask.device)
            mask = cat([mask, free], -1)
        return mask

    @staticmethod
    def _to_add(said: str, mask: Tensor, like: Tensor) -> Tensor:
        """Of a bool mask, where true keeps away, minus infinity there."""
        mask = check.tensor("MultiheadAttention", said, mask)
        if mask.dtype == boolean:
            return where(mask, -inf, zeros(1, dtype=like.dtype, device=like.device))
        return mask.to(like.dtype)

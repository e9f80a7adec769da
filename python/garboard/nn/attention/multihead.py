"""Attention with several heads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._arguments.errors import PartsError
from garboard._engine import Tensor, empty
from garboard.nn import init
from garboard.nn.functional import _attention
from garboard.nn.linear import Linear, NonDynamicallyQuantizableLinear
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
            raise PartsError(
                f"{name}: embed_dim {self.embed_dim}, num_heads {self.num_heads}; the heads must "
                "divide it"
            )
        self.head_dim: int = self.embed_dim // self.num_heads
        self.kdim: int = self.embed_dim if kdim is None else check.count(name, "kdim", kdim, 1)
        self.vdim: int = self.embed_dim if vdim is None else check.count(name, "vdim", vdim, 1)
        self.dropout: float = check.share(name, "dropout", dropout)
        self.batch_first: bool = check.flag(name, "batch_first", batch_first)
        self.add_zero_attn: bool = check.flag(name, "add_zero_attn", add_zero_attn)
        has_bias = check.has(name, "bias", bias)
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
        self.out_proj: Linear = NonDynamicallyQuantizableLinear(
            width, width, has_bias, device, dtype
        )
        for said in ("bias_k", "bias_v"):
            made = empty(1, 1, width, dtype=dtype, device=device) if add_bias_kv else None
            self.register_parameter(said, None if made is None else Parameter(made))
        self._qkv_same_embed_dim: bool = is_alike
        self._reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the projections anew and set their biases to zeros.

        >>> layer = gb.nn.MultiheadAttention(4, 2)
        >>> layer.reset_parameters()
        >>> layer.in_proj_bias.abs().sum().item()
        0.0
        """
        self._reset_parameters()

    def _reset_parameters(self) -> None:
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
        return _attention.attended(
            _attention.Heads(
                "MultiheadAttention",
                self.embed_dim,
                self.num_heads,
                (self.kdim, self.vdim),
                self.in_proj_weight,
                (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight),
                self.in_proj_bias,
                (self.bias_k, self.bias_v),
                self.add_zero_attn,
                (self.out_proj.weight, self.out_proj.bias),
                self.dropout if self.training else 0.0,
                self.batch_first,
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

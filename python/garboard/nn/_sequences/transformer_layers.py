"""Layers of transformers: attention, then two linear maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._engine import Tensor, gelu
from garboard.nn._norms.normalization import LayerNorm
from garboard.nn.attention import MultiheadAttention
from garboard.nn.dropout import Dropout
from garboard.nn.functional import relu
from garboard.nn.linear import Linear
from garboard.nn.module import Module

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["Activation", "TransformerDecoderLayer", "TransformerEncoderLayer"]

Activation = str | Callable[[Tensor], Tensor]


def _function(name: str, given: Any) -> Callable[[Tensor], Tensor]:
    if isinstance(given, str):
        return relu if check.choice(name, "activation", given, "relu", "gelu") == "relu" else gelu
    made: Callable[[Tensor], Tensor] = check.function(name, "activation", given)
    return made


class _Layer(Module):
    """The attention that every layer begins with, and the two linear maps at its end."""

    self_attn: MultiheadAttention
    dropout1: Dropout
    activation: Callable[[Tensor], Tensor]

    def _add_maps(self, d_model: int, hidden: int, rate: float, bias: bool, **where: Any) -> None:
        self.linear1: Linear = Linear(d_model, hidden, bias, **where)
        self.dropout: Dropout = Dropout(rate)
        self.linear2: Linear = Linear(hidden, d_model, bias, **where)

    def _mapped(self, x: Tensor) -> Tensor:
        made: Tensor = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return made

    def _sa_block(
        self,
        x: Tensor,
        attn_mask: Tensor | None,
        key_padding_mask: Tensor | None,
        is_causal: bool = False,
    ) -> Tensor:
        """See the places of the sequence itself."""
        mixed, _ = self.self_attn(x, x, x, key_padding_mask, False, attn_mask, is_causal=is_causal)
        return self.dropout1(mixed)


class TransformerEncoderLayer(_Layer):
    """Let each place of a sequence see the others, then map each by itself.

    x + attention(x), then x + linear2(activation(linear1(x))), each brought to mean 0 and variance
    1, or brought so before where `norm_first` (Vaswani et al., arXiv:1706.03762).

    Args:
        d_model: Features of a place.
        nhead: How many heads; it divides d_model.
        dim_feedforward: Features between the two linear maps.
        dropout: With which probability elements are dropped, in training.
        activation: 'relu', 'gelu' or a function.
        layer_norm_eps: What is added to variances.
        batch_first: Take and give [n, length, features], else [length, n, features].
        norm_first: Normalize what goes in, not what comes out.
        bias: Learn biases.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: Heads that do not divide; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: A number or word that cannot be.

    >>> gb.nn.TransformerEncoderLayer(8, 2, 16)(gb.ones(5, 2, 8)).shape
    (5, 2, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        at: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn: MultiheadAttention = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, **at
        )
        self._add_maps(d_model, dim_feedforward, dropout, bias, **at)
        self.norm_first: bool = check.flag("TransformerEncoderLayer", "norm_first", norm_first)
        self.norm1: LayerNorm = LayerNorm(d_model, layer_norm_eps, bias=bias, **at)
        self.norm2: LayerNorm = LayerNorm(d_model, layer_norm_eps, bias=bias, **at)
        self.dropout1: Dropout = Dropout(dropout)
        self.dropout2: Dropout = Dropout(dropout)
        self.activation: Callable[[Tensor], Tensor] = _function(
            "TransformerEncoderLayer", activation
        )

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        masks = src_mask, src_key_padding_mask, is_causal
        if self.norm_first:
            src = src + self._sa_block(self.norm1(src), *masks)
            return src + self._ff_block(self.norm2(src))
        src = self.norm1(src + self._sa_block(src, *masks))
        return self.norm2(src + self._ff_block(src))

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self._mapped(x))

    if TYPE_CHECKING:

        def __call__(
            self,
            src: Tensor,
            src_mask: Tensor | None = None,
            src_key_padding_mask: Tensor | None = None,
            is_causal: bool = False,
        ) -> Tensor: ...


class TransformerDecoderLayer(_Layer):
    """Let each place of a sequence see its own, then those of another, then map each by itself.

    As `TransformerEncoderLayer`, with an attention to `memory` between the two parts.

    Args:
        d_model: Features of a place.
        nhead: How many heads; it divides d_model.
        dim_feedforward: Features between the two linear maps.
        dropout: With which probability elements are dropped, in training.
        activation: 'relu', 'gelu' or a function.
        layer_norm_eps: What is added to variances.
        batch_first: Take and give [n, length, features], else [length, n, features].
        norm_first: Normalize what goes in, not what comes out.
        bias: Learn biases.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: Heads that do not divide; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: A number or word that cannot be.

    >>> gb.nn.TransformerDecoderLayer(8, 2, 16)(gb.ones(5, 2, 8), gb.ones(7, 2, 8)).shape
    (5, 2, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        at: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn: MultiheadAttention = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, **at
        )
        self.multihead_attn: MultiheadAttention = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, **at
        )
        self._add_maps(d_model, dim_feedforward, dropout, bias, **at)
        self.norm_first: bool = check.flag("TransformerDecoderLayer", "norm_first", norm_first)
        self.norm1: LayerNorm = LayerNorm(d_model, layer_norm_eps, bias=bias, **at)
        self.norm2: LayerNorm = LayerNorm(d_model, layer_norm_eps, bias=bias, **at)
        self.norm3: LayerNorm = LayerNorm(d_model, layer_norm_eps, bias=bias, **at)
        self.dropout1: Dropout = Dropout(dropout)
        self.dropout2: Dropout = Dropout(dropout)
        self.dropout3: Dropout = Dropout(dropout)
        self.activation: Callable[[Tensor], Tensor] = _function(
            "TransformerDecoderLayer", activation
        )

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        other = memory, memory_mask, memory_key_padding_mask, memory_is_causal
        if self.norm_first:
            tgt = tgt + self._sa_block(self.norm1(tgt), *own)
            tgt = tgt + self._mha_block(self.norm2(tgt), *other)
            return tgt + self._ff_block(self.norm3(tgt))
        tgt = self.norm1(tgt + self._sa_block(tgt, *own))
        tgt = self.norm2(tgt + self._mha_block(tgt, *other))
        return self.norm3(tgt + self._ff_block(tgt))

    def _mha_block(
        self,
        x: Tensor,
        mem: Tensor,
        attn_mask: Tensor | None,
        key_padding_mask: Tensor | None,
        is_causal: bool = False,
    ) -> Tensor:
        """See the places of another sequence."""
        mixed, _ = self.multihead_attn(
            x, mem, mem, key_padding_mask, False, attn_mask, is_causal=is_causal
        )
        return self.dropout2(mixed)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self._mapped(x))

    if TYPE_CHECKING:

        def __call__(
            self,
            tgt: Tensor,
            memory: Tensor,
            tgt_mask: Tensor | None = None,
            memory_mask: Tensor | None = None,
            tgt_key_padding_mask: Tensor | None = None,
            memory_key_padding_mask: Tensor | None = None,
            tgt_is_causal: bool = False,
            memory_is_causal: bool = False,
        ) -> Tensor: ...

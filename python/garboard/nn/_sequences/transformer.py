"""Transformers: stacks of layers of attention."""

from __future__ import annotations

from copy import deepcopy
from math import inf
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._engine import Tensor, arange, where, zeros
from garboard.nn import init
from garboard.nn._norms.normalization import LayerNorm
from garboard.nn._sequences.transformer_layers import (
    Activation,
    TransformerDecoderLayer,
    TransformerEncoderLayer,
)
from garboard.nn.containers import ModuleList
from garboard.nn.functional import relu
from garboard.nn.module import Module

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["Transformer", "TransformerDecoder", "TransformerEncoder"]


def _is_causal(mask: Tensor | None, given: bool | None) -> bool:
    """What a stack tells its layers: that the mask is the causal one, where the caller says so."""
    return bool(given) and mask is not None


class TransformerEncoder(Module):
    """Run encoder layers one after the other.

    Args:
        encoder_layer: The layer, which is copied for each.
        num_layers: How many.
        norm: What comes after the last one, or None.
        enable_nested_tensor: Taken for PyTorch's sake, without effect.
        mask_check: Likewise.

    Raises:
        ValueError: A negative number.
        TypeError: A number that is no integer.

    >>> layer = gb.nn.TransformerEncoderLayer(8, 2, 16)
    >>> gb.nn.TransformerEncoder(layer, 2)(gb.ones(5, 2, 8)).shape
    (5, 2, 8)
    """

    norm: Module | None

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.num_layers: int = check.count("TransformerEncoder", "num_layers", num_layers)
        layer = check.of_type(Module, "TransformerEncoder", "encoder_layer", encoder_layer)
        self.layers: ModuleList = ModuleList([deepcopy(layer) for _ in range(self.num_layers)])
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, _is_causal(mask, is_causal))
        return src if self.norm is None else self.norm(src)

    if TYPE_CHECKING:

        def __call__(
            self,
            src: Tensor,
            mask: Tensor | None = None,
            src_key_padding_mask: Tensor | None = None,
            is_causal: bool | None = None,
        ) -> Tensor: ...


class TransformerDecoder(Module):
    """Run decoder layers one after the other.

    Args:
        decoder_layer: The layer, which is copied for each.
        num_layers: How many.
        norm: What comes after the last one, or None.

    Raises:
        ValueError: A negative number.
        TypeError: A number that is no integer.

    >>> layer = gb.nn.TransformerDecoderLayer(8, 2, 16)
    >>> gb.nn.TransformerDecoder(layer, 2)(gb.ones(5, 2, 8), gb.ones(7, 2, 8)).shape
    (5, 2, 8)
    """

    norm: Module | None

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.num_layers: int = check.count("TransformerDecoder", "num_layers", num_layers)
        layer = check.of_type(Module, "TransformerDecoder", "decoder_layer", decoder_layer)
        self.layers: ModuleList = ModuleList([deepcopy(layer) for _ in range(self.num_layers)])
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask,
                memory_mask,
                tgt_key_padding_mask,
                memory_key_padding_mask,
                _is_causal(tgt_mask, tgt_is_causal),
                _is_causal(memory_mask, memory_is_causal),
            )
        return tgt if self.norm is None else self.norm(tgt)

    if TYPE_CHECKING:

        def __call__(
            self,
            tgt: Tensor,
            memory: Tensor,
            tgt_mask: Tensor | None = None,
            memory_mask: Tensor | None = None,
            tgt_key_padding_mask: Tensor | None = None,
            memory_key_padding_mask: Tensor | None = None,
            tgt_is_causal: bool | None = None,
            memory_is_causal: bool = False,
        ) -> Tensor: ...


class Transformer(Module):
    """Translate sequences: an encoder of one, and a decoder of another that sees it.

    Args:
        d_model: Features of a place.
        nhead: How many heads; it divides d_model.
        num_encoder_layers: How many layers the encoder has.
        num_decoder_layers: How many layers the decoder has.
        dim_feedforward: Features between the linear maps of a layer.
        dropout: With which probability elements are dropped, in training.
        activation: 'relu', 'gelu' or a function.
        custom_encoder: What stands in for the encoder.
        custom_decoder: What stands in for the decoder.
        layer_norm_eps: What is added to variances.
        batch_first: Take and give [n, length, features], else [length, n, features].
        norm_first: Normalize what goes into each part, not what comes out.
        bias: Learn biases.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: Heads that do not divide; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: A number or word that cannot be.

    >>> model = gb.nn.Transformer(8, 2, 1, 1, 16)
    >>> model(gb.ones(5, 2, 8), gb.ones(7, 2, 8)).shape
    (7, 2, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        at: dict[str, Any] = {"device": device, "dtype": dtype}
        numbers: tuple[Any, ...] = (d_model, nhead, dim_feedforward, dropout, activation)
        settings: dict[str, Any] = {
            "layer_norm_eps": layer_norm_eps,
            "batch_first": batch_first,
            "norm_first": norm_first,
            "bias": bias,
            **at,
        }
        self.d_model: int = check.count("Transformer", "d_model", d_model, 1)
        self.nhead: int = check.count("Transformer", "nhead", nhead, 1)
        self.batch_first: bool = check.flag("Transformer", "batch_first", batch_first)
        self.encoder: Module = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*numbers, **settings),
            num_encoder_layers,
            LayerNorm(d_model, layer_norm_eps, bias=bias, **at),
        )
        self.decoder: Module = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*numbers, **settings),
            num_decoder_layers,
            LayerNorm(d_model, layer_norm_eps, bias=bias, **at),
        )
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        made: Tensor = self.decoder(
            tgt,
            memory,
            tgt_mask,
            memory_mask,
            tgt_key_padding_mask,
            memory_key_padding_mask,
            tgt_is_causal,
            memory_is_causal,
        )
        return made

    if TYPE_CHECKING:

        def __call__(
            self,
            src: Tensor,
            tgt: Tensor,
            src_mask: Tensor | None = None,
            tgt_mask: Tensor | None = None,
            memory_mask: Tensor | None = None,
            src_key_padding_mask: Tensor | None = None,
            tgt_key_padding_mask: Tensor | None = None,
            memory_key_padding_mask: Tensor | None = None,
            src_is_causal: bool | None = None,
            tgt_is_causal: bool | None = None,
            memory_is_causal: bool = False,
        ) -> Tensor: ...

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: Device | None = None, dtype: DType | None = None
    ) -> Tensor:
        """Make the mask by which each place sees those up to itself: 0 there, else -inf.

        Args:
            sz: How many places.
            device: Where it lies, the CPU by default.
            dtype: Its dtype, float32 by default.

        Returns:
            A new tensor [sz, sz].

        Raises:
            ShapeError: A negative number.

        >>> gb.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        size = check.size("generate_square_subsequent_mask", "sz", sz)
        places = arange(size, device=device)
        nothing = zeros(1, dtype=dtype, device=device)
        return where(places.unsqueeze(0) > places.unsqueeze(1), -inf, nothing)

"""Transformers, where PyTorch's users look for them."""

import copy
from collections.abc import Callable

from garboard._engine import Tensor
from garboard.nn import (
    Module,
    ModuleList,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from garboard.nn._sequences.transformer_layers import _function

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def _get_clones(module: Module, N: int) -> ModuleList:  # noqa: N803
    """Copies of a module, each with parameters of its own."""
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


def _get_activation_fn(activation: str) -> Callable[[Tensor], Tensor]:
    """The function that "relu" or "gelu" names."""
    return _function("_get_activation_fn", activation)


_generate_square_subsequent_mask = Transformer.generate_square_subsequent_mask

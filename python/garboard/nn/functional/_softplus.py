"""The smooth form of relu, of which several functions and losses are made."""

from __future__ import annotations

from garboard._engine import Tensor, logsigmoid

__all__ = ["softplus_of"]


def softplus_of(x: Tensor) -> Tensor:
    """ln(1 + e^x), which never overflows; its slope at 0 is 1/2."""
    return 0 - logsigmoid(-x)  # of -inf 0.0, where -logsigmoid is -0.0

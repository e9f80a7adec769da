"""Where PyTorch's programs look for the type of tensors."""

from __future__ import annotations

from garboard._engine import Tensor

__all__ = ["Tensor"]

"""Where PyTorch's programs look for the type of tensors."""

from __future__ import annotations

from garboard._engine import Tensor
from garboard.io._rebuilding import _rebuild_from_type_v2

__all__ = ["Tensor", "_rebuild_from_type_v2"]

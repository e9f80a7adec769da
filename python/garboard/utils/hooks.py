"""The handles of hooks, where PyTorch's users look for them."""

from __future__ import annotations

from garboard._hooks import RemovableHandle

__all__ = ["RemovableHandle"]

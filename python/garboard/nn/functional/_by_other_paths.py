"""What PyTorch's programs find among the functions, and what has a place elsewhere."""

from __future__ import annotations

from garboard.nn import grad
from garboard.nn.functional._sampling import channel_shuffle as native_channel_shuffle

__all__ = ["grad", "native_channel_shuffle"]

"""Where older programs of PyTorch's look for its profiler."""

from __future__ import annotations

from garboard.profiler import profile, record_function

__all__ = ["profile", "record_function"]

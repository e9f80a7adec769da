"""What programs say to the back of PyTorch's compiler: its settings, which change nothing here."""

from __future__ import annotations

from garboard._dynamo import _settings
from garboard.compiler import cudagraph_mark_step_begin

__all__ = ["config", "cudagraph_mark_step_begin"]

config = _settings(f"{__name__}.config")

"""Batches in pinned memory, from which a device copies by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from warnings import warn

from garboard import _engine
from garboard._arguments.layouts import is_really
from garboard._engine import Tensor

__all__ = ["can_pin", "pin_memory", "pinned"]


def can_pin(op: str) -> bool:
    """Tell whether there is a device to pin memory for, and warn where there is none."""
    reason = _engine._why_no_cuda()
    if reason:
        warn(f"{op}: pin_memory=True, and nothing is pinned: {reason}", stacklevel=3)
    return not reason


def pinned(batch: Any) -> Any:
    """The same nest of tuples, lists and dicts, its tensors in pinned memory.

    What has a method `pin_memory` is asked for it; what has none stays as it is.
    """
    if is_really(batch, Tensor):
        return batch.pin_memory() if batch.device.type == "cpu" else batch
    if isinstance(batch, (str, bytes)):
        return batch
    if isinstance(batch, Mapping):
        parts = {key: pinned(part) for key, part in batch.items()}
        return type(batch)(parts) if type(batch) is not dict else parts  # type: ignore[call-arg]
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*map(pinned, batch))
    if isinstance(batch, (tuple, list)):
        return type(batch)(map(pinned, batch))
    pin = getattr(batch, "pin_memory", None)
    return pin() if callable(pin) else batch


def pin_memory(data: Any, device: object = None) -> Any:
    """The same nest with its tensors in pinned memory, by PyTorch's name.

    Args:
        data: Tensors, or tuples, lists and dicts of them.
        device: Ignored: memory is pinned for all.
    """
    return pinned(data)

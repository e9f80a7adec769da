"""Names of memory's counts that PyTorch's older programs call, and what they call for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING
from warnings import warn

from garboard.cuda.memory import max_memory_reserved, memory_reserved, reset_peak_memory_stats

if TYPE_CHECKING:
    from garboard import _engine

__all__ = [
    "ipc_collect",
    "max_memory_cached",
    "memory_cached",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
]


def _warn_of(older: str, name: str) -> None:
    text = f"garboard.cuda.{older} is an older name; use garboard.cuda.{name}"
    warn(text, FutureWarning, stacklevel=3)


def memory_cached(device: int | str | _engine.device | None = None) -> int:
    """Return what `memory_reserved` returns, with a FutureWarning."""
    _warn_of("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: int | str | _engine.device | None = None) -> int:
    """Return what `max_memory_reserved` returns, with a FutureWarning."""
    _warn_of("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def reset_max_memory_allocated(device: int | str | _engine.device | None = None) -> None:
    """Do what `reset_peak_memory_stats` does, with a FutureWarning."""
    _warn_of("reset_max_memory_allocated", "reset_peak_memory_stats")
    reset_peak_memory_stats(device)


def reset_max_memory_cached(device: int | str | _engine.device | None = None) -> None:
    """Do what `reset_peak_memory_stats` does, with a FutureWarning."""
    _warn_of("reset_max_memory_cached", "reset_peak_memory_stats")
    reset_peak_memory_stats(device)


def ipc_collect() -> None:
    """Do nothing: no memory is shared with other processes. For programs that call it."""

"""Autocast that is switched on and off by calls, without a block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import told
from garboard._contexts import autocast as _autocast
from garboard._contexts import autocasting as _autocasting

__all__ = [
    "get_autocast_cpu_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_autocast_gpu_dtype",
]

_NUMBERS = {"cpu": -1, "cuda": -2}  # of the blocks that calls open; others have ids


def set_autocast_enabled(device_type: Any, enabled: Any = None) -> None:
    """Let ops of a device choose their dtype from now on, or no longer; "cuda" by default.

    Raises:
        ValueError: Another device.
        TypeError: `enabled` is no bool.
    """
    op = "set_autocast_enabled"
    kind, is_on = ("cuda", device_type) if enabled is None else (device_type, enabled)
    _set(op, _autocast._device_type(op, kind), check.flag(op, "enabled", is_on))


def _set(op: str, kind: str, is_on: bool) -> None:
    dtype = _autocast.get_autocast_dtype(kind)
    _autocasting.leave(_NUMBERS[kind])
    if _autocast.is_autocast_enabled(kind) != is_on or _autocast.get_autocast_dtype(kind) != dtype:
        _autocasting.enter(_NUMBERS[kind], kind, dtype, is_on, True)


def set_autocast_dtype(device_type: str, dtype: _engine.dtype) -> None:
    """Let ops of a device convert to another dtype from now on.

    Raises:
        ValueError: Another device.
        TypeError: `dtype` is none.
    """
    op = "set_autocast_dtype"
    kind = _autocast._device_type(op, device_type)
    wanted = check.of_type(_engine.dtype, op, "dtype", dtype)
    is_on = _autocast.is_autocast_enabled(kind)
    _autocasting.leave(_NUMBERS[kind])
    is_so = _autocast.is_autocast_enabled(kind) == is_on
    if not is_so or _autocast.get_autocast_dtype(kind) != wanted:
        _autocasting.enter(_NUMBERS[kind], kind, wanted, is_on, True)


def _of(kind: str, name: str, act: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any) -> Any:
        return act(kind, *given)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f'Call `{act.__name__}` for "{told(kind)}".'
    return call


get_autocast_cpu_dtype: Callable[..., Any] = _of(
    "cpu", "get_autocast_cpu_dtype", _autocast.get_autocast_dtype
)
get_autocast_gpu_dtype: Callable[..., Any] = _of(
    "cuda", "get_autocast_gpu_dtype", _autocast.get_autocast_dtype
)
is_autocast_cpu_enabled: Callable[..., Any] = _of(
    "cpu", "is_autocast_cpu_enabled", _autocast.is_autocast_enabled
)
set_autocast_cpu_dtype: Callable[..., Any] = _of(
    "cpu", "set_autocast_cpu_dtype", set_autocast_dtype
)
set_autocast_cpu_enabled: Callable[..., Any] = _of(
    "cpu", "set_autocast_cpu_enabled", set_autocast_enabled
)
set_autocast_gpu_dtype: Callable[..., Any] = _of(
    "cuda", "set_autocast_gpu_dtype", set_autocast_dtype
)


def is_autocast_cache_enabled() -> bool:
    """Tell whether the innermost block converts parameters once; True where there is none."""
    blocks = _autocasting.blocks_here()
    return blocks[-1].caches if blocks else True

"""Pools that return where their elements are, under PyTorch's names of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from garboard._engine import Tensor
from garboard.nn.functional._fractional_pools import fractional_max_pool2d, fractional_max_pool3d
from garboard.nn.functional._pools import (
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)

__all__ = [
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d_with_indices",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d_with_indices",
    "max_pool1d_with_indices",
    "max_pool2d_with_indices",
    "max_pool3d_with_indices",
]

_Pool = Callable[..., tuple[Tensor, Tensor]]


def _with_indices(pool: Callable[..., Any]) -> _Pool:
    names = list(signature(pool).parameters)

    @wraps(pool)
    def indexed(*given: Any, **named: Any) -> tuple[Tensor, Tensor]:
        named.update(zip(names, given, strict=False))
        named["return_indices"] = True
        found: tuple[Tensor, Tensor] = pool(**named)
        return found

    indexed.__doc__ = f"Return what `{pool.__name__}` returns with `return_indices=True`."
    indexed.__name__ = indexed.__qualname__ = f"{pool.__name__}_with_indices"
    return indexed


adaptive_max_pool1d_with_indices = _with_indices(adaptive_max_pool1d)
adaptive_max_pool2d_with_indices = _with_indices(adaptive_max_pool2d)
adaptive_max_pool3d_with_indices = _with_indices(adaptive_max_pool3d)
fractional_max_pool2d_with_indices = _with_indices(fractional_max_pool2d)
fractional_max_pool3d_with_indices = _with_indices(fractional_max_pool3d)
max_pool1d_with_indices = _with_indices(max_pool1d)
max_pool2d_with_indices = _with_indices(max_pool2d)
max_pool3d_with_indices = _with_indices(max_pool3d)

"""Ops that PyTorch has beneath methods and brackets, and that `ops.aten` alone names."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._engine import Tensor

__all__ = ["_pin_memory", "_sparse_addmm", "_to_copy", "_unsafe_view", "index", "slice"]


def _to_copy(
    self: Tensor,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return a copy of another dtype, or on another device."""
    x = check.tensor("_to_copy", "self", self)
    to = x.device if device is None else device
    return x.to(to, x.dtype if dtype is None else dtype, non_blocking, copy=True)


def _pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Return a copy in memory that a CUDA device reads."""
    return check.tensor("_pin_memory", "self", self).pin_memory()


def _sparse_addmm(
    self: Tensor, mat1: Any, mat2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """Return `beta * self + alpha * (mat1 @ mat2)` of a matrix by coordinates."""
    product: Tensor = mat1 @ mat2
    return _engine.add(self * beta, product, alpha=alpha)


def _unsafe_view(self: Tensor, size: Sequence[int]) -> Tensor:
    """Return a view of other sizes."""
    return check.tensor("_unsafe_view", "self", self).view(tuple(size))


def index(self: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """Return what the brackets of a tensor return; None takes a whole dim."""
    taken = [builtins.slice(None) if it is None else it for it in indices]
    return check.tensor("index", "self", self)[tuple(taken)]


def slice(
    self: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """Return a view of each `step`th place along a dim."""
    x = check.tensor("slice", "self", self)
    before = [builtins.slice(None)] * check.place("slice", "dim", dim, x.ndim)
    return x[(*before, builtins.slice(start, end, step))]

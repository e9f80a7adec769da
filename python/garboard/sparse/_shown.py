"""The text of sparse tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._engine import Tensor
from garboard._printing import is_usual, part_text

if TYPE_CHECKING:
    from garboard.sparse._tensor import SparseTensor

__all__ = ["options_text", "parts_text"]


def parts_text(**parts: Tensor) -> list[str]:
    """Each with its name, and the lines below the first under it."""
    told = []
    for name, part in parts.items():
        first, *rest = part_text(part.detach()).split("\n")
        below = [line and " " * (len(name) + 8) + line for line in rest]
        told.append("\n".join([f"{name}={first}", *below]))
    return told


def options_text(x: SparseTensor, before_layout: str = "") -> str:
    """What is said behind the sizes."""
    dtype = "" if is_usual(x.dtype) else f", dtype={x.dtype}"
    grad = ", requires_grad=True" if x.requires_grad else ""
    return f"{dtype},{before_layout or ' '}layout={x.layout}{grad}"

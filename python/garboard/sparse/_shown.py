"""The text of sparse tensors, and of what they lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._arguments.texts import shown
from garboard._engine import GarboardError, Tensor
from garboard._printing import is_usual, part_text

if TYPE_CHECKING:
    from garboard.sparse._tensor import SparseTensor

__all__ = ["LacksError", "lacking", "options_text", "parts_text"]


class LacksError(GarboardError, NotImplementedError, AttributeError):
    """What every tensor has but sparse ones: `hasattr` says no, and programs that try an op on one
    see what PyTorch raises."""


def lacking(x: object, name: str) -> AttributeError:
    """The error for an attribute that is not there."""
    text = f"'{type(x).__name__}' object has no attribute {shown(name)}"
    if name.startswith("_") or not hasattr(Tensor, name):
        return AttributeError(text, name=name, obj=x)
    error = LacksError(f"{text}; take to_dense() first")
    error.name, error.obj = name, x
    return error


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

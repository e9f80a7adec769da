"""The default of an option that each group has to name, and what no parameter can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garboard._arguments.texts import shown

if TYPE_CHECKING:
    from garboard._engine import Tensor

__all__ = ["refuse_sample", "required"]


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required: Any = _Required()


def refuse_sample(op: str, place: int, parameter: Tensor) -> None:
    """Raise for a sample of `vmap`, which hides what would be updated."""
    if not getattr(parameter, "_gives_its_class", True):
        raise ValueError(
            f"{op}: parameter {shown(place)} is a sample of vmap; a Tensor is needed: compute its "
            "update with ops, as x - lr * gradient"
        )

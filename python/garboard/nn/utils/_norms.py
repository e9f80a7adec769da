"""What weights are divided by: norms of slices, the largest singular value."""

from __future__ import annotations

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard.nn.module import Module
from garboard.nn.parameter import is_lazy

__all__ = ["direction_norm", "part_of", "power_steps", "refuse_lazy", "spectral_matrix"]


def refuse_lazy(op: str, module: Module, name: str, weight: Tensor) -> None:
    """A weight without sizes has no norm yet."""
    if is_lazy(weight):
        raise ArgumentError(
            f"{op}: {shown(name)} of {type(module).__name__} has no sizes before the first call; "
            "call the module once before"
        )


def direction_norm(weight: Tensor, dim: int | None) -> Tensor:
    """The norm of each slice along `dim`, to be broadcast; of all for None or -1."""
    if dim is None or dim == -1:
        return weight.norm()
    weight.size(dim)  # refuses a dim that is not there
    kept = dim % max(weight.ndim, 1)
    others = [d for d in range(weight.ndim) if d != kept]
    return weight.norm(2, dim=others, keepdim=True) if others else weight.abs()


def part_of(op: str, module: Module, name: str) -> Tensor:
    """What a norm computes a module's weight of; refuses a module that has no such thing."""
    found = getattr(check.of_type(Module, op, "module", module), name, None)
    if not is_really(found, Tensor):
        raise ValueError(
            f"{op}: {type(module).__name__} has no {shown(name)}; a module whose weight is normed "
            "is needed"
        )
    return found


def spectral_matrix(weight: Tensor, dim: int) -> Tensor:
    """The weight as a matrix, a row for each place along `dim`."""
    weight.size(dim)
    moved = weight if dim == 0 else weight.movedim(dim, 0)
    return moved.reshape(moved.shape[0], -1)


def power_steps(
    matrix: Tensor, u: Tensor, v: Tensor, count: int, eps: float
) -> tuple[Tensor, Tensor]:
    """Both vectors after so many steps of the power method, each of norm 1."""
    for _ in range(count):
        u = matrix @ v
        u = u / u.norm().clamp(min=eps)
        v = matrix.mH @ u
        v = v / v.norm().clamp(min=eps)
    return u, v

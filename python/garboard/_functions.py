"""Functions made of ops, and which names of the engine are public."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _check as check
from garboard import _engine
from garboard._engine import Tensor

if TYPE_CHECKING:
    from garboard.types import Size

__all__ = [
    "DTYPES",
    "OPS",
    "broadcast_shapes",
    "is_tensor",
]

DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "short",
    "int",
    "long",
    "half",
    "float",
    "double",
)
OPS = tuple(
    sorted(
        {row[0] for row in _engine._op_table() if not row[4] and row[0][0] != "_"}
        | {name for name, _, is_method in _engine._other_names() if not is_method}
    )
)


def is_tensor(obj: object) -> bool:
    """Tell whether `obj` is a Tensor.

    Returns:
        A bool; True for a disposed one too.

    >>> gb.is_tensor(gb.ones(2)), gb.is_tensor(2)
    (True, False)
    """
    return isinstance(obj, Tensor)


def broadcast_shapes(*shapes: int | Size) -> tuple[int, ...]:
    """Tell the sizes that tensors of these sizes broadcast to.

    Args:
        *shapes: Sizes of each, a tuple or list; an integer stands for one size.

    Returns:
        A tuple of sizes.

    Raises:
        ShapeError: They do not broadcast, or a size is negative.
        TypeError: A size is no integer.

    >>> gb.broadcast_shapes((2, 1), 3)
    (2, 3)
    """
    given = [check.sizes("broadcast_shapes", "shapes", shape) for shape in shapes]
    result = [1] * max(map(len, given), default=0)
    for sizes in given:
        for dim in range(-len(sizes), 0):
            if sizes[dim] == 1:
                continue
            if result[dim] not in (1, sizes[dim]):
                raise _engine.ShapeError(
                    f"broadcast_shapes: sizes {[*sizes]} and {result} differ at dim {dim}; they "
                    "must be equal or 1"
                )
            result[dim] = sizes[dim]
    return tuple(result)

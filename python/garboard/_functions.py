"""Functions made of ops, and which names of the engine are public."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from garboard import _check as check
from garboard import _engine
from garboard._engine import Tensor
from garboard._grad_mode import no_grad

if TYPE_CHECKING:
    from garboard.types import Number, Size

__all__ = [
    "DTYPES",
    "OPS",
    "aminmax",
    "broadcast_shapes",
    "is_tensor",
    "isin",
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


class MinAndMax(NamedTuple):
    """What `aminmax` returns."""

    min: Tensor
    max: Tensor


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> MinAndMax:
    """Return the smallest and the largest element.

    Args:
        input: Tensor of any shape.
        dim: Along which; all dims where it is left out.
        keepdim: True keeps it, with size 1.

    Returns:
        A pair with the fields `min` and `max`, of `input`'s dtype. Equal elements share a gradient.

    Raises:
        ShapeError: There is no element, or no such dim.
        DisposedError: The tensor is disposed.

    >>> gb.aminmax(gb.tensor([3, 1, 2]))
    MinAndMax(min=tensor(1), max=tensor(3))
    """
    check.tensor("aminmax", "input", input)
    dims = () if dim is None else (check.integer("aminmax", "dim", dim),)
    return MinAndMax(
        input.amin(dims, check.flag("aminmax", "keepdim", keepdim)), input.amax(dims, keepdim)
    )


def isin(
    elements: Tensor | Number,
    test_elements: Tensor | Number,
    *,
    assume_unique: bool = False,
    invert: bool = False,
) -> Tensor:
    """Test where each element is among others.

    Args:
        elements: Tensor of any shape, or a number.
        test_elements: What is looked for: a tensor of any shape, or a number; not both are numbers.
        assume_unique: Not needed.
        invert: True tests where none is.

    Returns:
        A new bool tensor of the shape of `elements`. NaN is among nothing.

    Raises:
        DeviceError: The tensors are on two devices.
        TypeError: Both are numbers.
        DisposedError: A tensor is disposed.

    >>> gb.isin(gb.tensor([1, 2, 3]), gb.tensor([3, 1]))
    tensor([ True, False,  True])
    """
    check.flag("isin", "assume_unique", assume_unique)
    like = next((x for x in (elements, test_elements) if isinstance(x, Tensor)), None)
    if like is None:
        raise TypeError("isin: two numbers; at least one Tensor is needed")
    with _engine.DisposeScope("isin") as scope, no_grad():
        x, known = (
            check.tensor("isin", name, given)
            if isinstance(given, Tensor)
            else _engine.tensor(check.real("isin", name, given), device=like.device)
            for name, given in (("elements", elements), ("test_elements", test_elements))
        )
        shared = _engine.promote_types(x.dtype, known.dtype)
        shared = _engine.uint8 if shared == _engine.bool else shared
        x, known = x.to(shared), _engine.sort(known.to(shared).flatten()).values
        if not known.numel():
            found = _engine.zeros(x.shape, dtype=_engine.bool, device=x.device)
        else:
            places = _engine.searchsorted(known, x).clamp_(max=known.numel() - 1)
            found = known[places] == x
        if check.flag("isin", "invert", invert):
            found = found.logical_not()
        return scope.move_to_outer(found)

"""Functions made of ops, and which names of the engine are public."""

from garboard import _check as check
from garboard import _engine
from garboard._engine import Tensor
from garboard._grad_mode import no_grad

__all__ = [
    "DTYPES",
    "OPS",
    "allclose",
    "equal",
    "is_tensor",
]

DTYPES = ("bool", "uint8", "int32", "int64", "float32", "float64")
OPS = tuple(sorted({row[0] for row in _engine._op_table() if not row[4] and row[0][0] != "_"}))


def is_tensor(obj: object) -> bool:
    """Tell whether `obj` is a Tensor.

    Returns:
        A bool; True for a disposed one too.

    >>> gb.is_tensor(gb.ones(2)), gb.is_tensor(2)
    (True, False)
    """
    return isinstance(obj, Tensor)


def equal(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have the same sizes and elements.

    Args:
        input: Tensor of any shape and dtype.
        other: Tensor on the same device; its dtype is promoted with `input`'s.

    Returns:
        A bool. NaN equals nothing.

    Raises:
        DeviceError: The tensors are on two devices.
        DisposedError: A tensor is disposed.

    >>> gb.equal(gb.arange(3), gb.tensor([0, 1, 2]))
    True
    """
    check.tensor("equal", "input", input)
    if input.shape != check.tensor("equal", "other", other).shape:
        return False
    with _engine.DisposeScope("equal"):
        return bool((input == other).all())


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Tell whether |input - other| <= atol + rtol * |other| everywhere.

    Args:
        input: Tensor of any shape.
        other: Tensor whose sizes broadcast with `input`'s.
        rtol: How far apart elements may be, as a share of `other`'s.
        atol: How far apart they may be besides.
        equal_nan: True takes NaN for equal to NaN.

    Returns:
        A bool. Infinities of one sign are close.

    Raises:
        ShapeError: The sizes do not broadcast.
        DTypeError: Both are bool.
        DeviceError: The tensors are on two devices.
        DisposedError: A tensor is disposed.

    >>> gb.allclose(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 2.00001]))
    True
    """
    check.tensor("allclose", "input", input)
    check.tensor("allclose", "other", other)
    check.real("allclose", "rtol", rtol)
    check.real("allclose", "atol", atol)
    with no_grad(), _engine.DisposeScope("allclose"):
        near = (input - other).abs() <= other.abs() * rtol + atol
        near |= input == other  # infinities of one sign
        if equal_nan:
            near |= _engine.isnan(input) & _engine.isnan(other)
        return bool(near.all())

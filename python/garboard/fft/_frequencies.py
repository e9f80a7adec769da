"""Which frequencies a transform gives, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._engine import ShapeError, Tensor
from garboard.fft._arguments import Dims, places_of

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the frequencies that `fft` of `n` elements gives: 0 and above, then below 0.

    Args:
        n: How many elements.
        d: How far apart they are.
        out: Where the result goes, instead of a new tensor.
        dtype: A floating dtype; the default one where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [n]: cycles by what `d` counts.

    Raises:
        ShapeError: `n` is below 1.
        ValueError: `d` is 0.
        TypeError: An argument is of another type.

    >>> gb.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    count, step = _checked("fft.fftfreq", n, d)
    with _engine.DisposeScope("fft.fftfreq") as scope:
        places = _engine.arange(count, dtype=_engine.float64)
        places = places - count * (places >= (count + 1) // 2).to(_engine.float64)
        made = (places / (count * step)).to(dtype or _engine.get_default_dtype())
        found = scope.move_to_outer(made.to(device or "cpu"))
    return written("fft.fftfreq", found, out).requires_grad_(requires_grad)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the frequencies that `rfft` of `n` elements gives: 0 and above.

    Args:
        n: How many elements.
        d: How far apart they are.
        out: Where the result goes, instead of a new tensor.
        dtype: A floating dtype; the default one where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [n // 2 + 1]: cycles by what `d` counts.

    Raises:
        ShapeError: `n` is below 1.
        ValueError: `d` is 0.
        TypeError: An argument is of another type.

    >>> gb.fft.rfftfreq(4).tolist()
    [0.0, 0.25, 0.5]
    """
    count, step = _checked("fft.rfftfreq", n, d)
    with _engine.DisposeScope("fft.rfftfreq") as scope:
        places = _engine.arange(count // 2 + 1, dtype=_engine.float64)
        made = (places / (count * step)).to(dtype or _engine.get_default_dtype())
        found = scope.move_to_outer(made.to(device or "cpu"))
    return written("fft.rfftfreq", found, out).requires_grad_(requires_grad)


def _checked(op: str, n: object, d: object) -> tuple[int, float]:
    count = check.size(op, "n", n)
    if count < 1:
        raise ShapeError(f"{op}: n {shown(count)}; at least 1 is needed")
    step = check.worth(op, "d", d)
    if step == 0:
        raise ArgumentError(f"{op}: d 0; another number is needed")
    return count, step


@takes_axis
def fftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """Move the frequency 0 to the middle.

    Args:
        input: Tensor of any dtype.
        dim: Along which dims; all by default.

    Returns:
        A new tensor of `input`'s sizes and dtype.

    Raises:
        ShapeError: A dim lies outside.
        DisposedError: The tensor is disposed.

    >>> gb.fft.fftshift(gb.tensor([0, 1, -2, -1]))
    tensor([-2, -1,  0,  1])
    """
    return _rolled("fft.fftshift", input, dim, 1)


@takes_axis
def ifftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """Move the frequency 0 from the middle back to the start.

    Args:
        input: Tensor of any dtype.
        dim: Along which dims; all by default.

    Returns:
        A new tensor of `input`'s sizes and dtype.

    Raises:
        ShapeError: A dim lies outside.
        DisposedError: The tensor is disposed.

    >>> gb.fft.ifftshift(gb.tensor([-2, -1, 0, 1]))
    tensor([ 0,  1, -2, -1])
    """
    return _rolled("fft.ifftshift", input, dim, -1)


def _rolled(op: str, input: Tensor, dim: object, sign: int) -> Tensor:
    x = check.tensor(op, "input", input)
    dims = [*range(x.ndim)] if dim is None else places_of(op, x, dim)
    if not dims:
        return x.clone()
    return _engine.roll(x, [sign * (x.shape[one] // 2) for one in dims], dims)


all_overridable(globals())

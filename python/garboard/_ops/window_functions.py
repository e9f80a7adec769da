"""Windows that signals are multiplied by: raised cosines and triangles."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._ops.window_shapes import window_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from garboard._engine import Tensor
    from garboard.types import Device, DType

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


def hann_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Hann window: sin^2(pi n / (N - 1)).

    Args:
        window_length: How many elements.
        periodic: True: the window of one element more, without its last: what a Fourier transform
            repeats. False: symmetric.
        dtype: A floating dtype; the default one where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [window_length]; 1 where there is one element.

    Raises:
        ShapeError: `window_length` is negative.
        DTypeError: `dtype` is not floating.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.hann_window(4).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return _window(
        "hann_window", window_length, periodic, lambda turn: _cosines(turn, 0.5, 0.5),
        dtype, device, requires_grad,
    )  # fmt: skip


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Hamming window: alpha - beta cos(2 pi n / (N - 1)).

    Args:
        window_length: How many elements.
        periodic: As for `hann_window`.
        alpha: The mean of the cosine.
        beta: Its height.
        dtype: A floating dtype; the default one where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [window_length]; 1 where there is one element.

    Raises:
        ShapeError: `window_length` is negative.
        DTypeError: `dtype` is not floating.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.hamming_window(3, periodic=False)
    tensor([0.0800, 1.0000, 0.0800])
    """
    op = "hamming_window"
    mean, height = check.worth(op, "alpha", alpha), check.worth(op, "beta", beta)
    return _window(
        op, window_length, periodic, lambda turn: _cosines(turn, mean, height),
        dtype, device, requires_grad,
    )  # fmt: skip


def blackman_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Blackman window: 0.42 - 0.5 cos(2 pi n / (N - 1)) + 0.08 cos(4 pi n / (N - 1)).

    Args:
        window_length: How many elements.
        periodic: As for `hann_window`.
        dtype: A floating dtype; the default one where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [window_length]; 1 where there is one element.

    Raises:
        ShapeError: `window_length` is negative.
        DTypeError: `dtype` is not floating.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.blackman_window(3, periodic=False)
    tensor([0., 1., 0.])
    """
    return _window(
        "blackman_window", window_length, periodic,
        lambda turn: (_cosines(turn, 0.42, 0.5) + (2 * turn).cos() * 0.08).clamp(min=0),
        dtype, device, requires_grad,
    )  # fmt: skip


def bartlett_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Bartlett window, a triangle: 1 - |2 n / (N - 1) - 1|.

    Args:
        window_length: How many elements.
        periodic: As for `hann_window`.
        dtype: A floating dtype; the default one where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [window_length]; 1 where there is one element.

    Raises:
        ShapeError: `window_length` is negative.
        DTypeError: `dtype` is not floating.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.bartlett_window(5, periodic=False).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return _window(
        "bartlett_window", window_length, periodic, lambda turn: 1 - (turn / pi - 1).abs(),
        dtype, device, requires_grad,
    )  # fmt: skip


def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Kaiser window: I0(beta sqrt(1 - (2 n / (N - 1) - 1)^2)) / I0(beta).

    Args:
        window_length: How many elements.
        periodic: As for `hann_window`.
        beta: How fast it falls; 0 or more.
        dtype: A floating dtype; the default one where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [window_length]; 1 where there is one element.

    Raises:
        ShapeError: `window_length` is negative.
        DTypeError: `dtype` is not floating.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.kaiser_window(3, periodic=False, beta=2.0)
    tensor([0.4387, 1.0000, 0.4387])
    """
    op = "kaiser_window"
    fall = check.worth(op, "beta", beta)

    def shape(turn: Tensor) -> Tensor:
        inside = fall * (1 - (turn / pi - 1).square()).clamp(min=0).sqrt()
        # Both times e^-beta: neither overflows.
        return (
            _engine.i0e(inside)
            * (inside.abs() - abs(fall)).exp()
            / _engine.i0e(_engine.full_like(turn, fall))
        )

    return _window(op, window_length, periodic, shape, dtype, device, requires_grad)


def _cosines(turn: Tensor, mean: float, height: float) -> Tensor:
    return mean - turn.cos() * height


def _window(
    op: str,
    window_length: int,
    periodic: bool,
    shape: Callable[[Tensor], Tensor],
    dtype: DType | None,
    device: Device | None,
    requires_grad: bool,
) -> Tensor:
    """`shape` of one turn, from 0 to 2 pi, in float64; rounded once."""
    count = check.size(op, "window_length", window_length)
    length = count + 1 if check.flag(op, "periodic", periodic) else count
    return window_of(
        op,
        count,
        length,
        lambda places, length: shape(places * (2 * pi / (length - 1))),
        dtype,
        device,
        requires_grad,
    )

"""Windows that signals are multiplied by, under the names that SciPy and PyTorch share."""
# ruff: noqa: N803 -- their name of an argument

from __future__ import annotations

from collections.abc import Iterable
from math import pi
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard._names.missing import module_getattr
from garboard._ops.window_functions import kaiser_window
from garboard._ops.window_shapes import full_precision, shaped_window

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)


def bartlett(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Bartlett window, a triangle: 1 - |2 n / (M - 1) - 1|.

    Args:
        M: How many elements.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.bartlett(5).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return shaped_window(
        "signal.windows.bartlett", M, sym, dtype, device, requires_grad,
        lambda n, length: 1 - (n * (2 / (length - 1)) - 1).abs(),
    )  # fmt: skip


def blackman(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Blackman window: `general_cosine` of 0.42, 0.5 and 0.08.

    Args:
        M: How many elements.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.blackman(3).abs() < 1.0001
    tensor([True, True, True])
    """
    return _cosines(
        "signal.windows.blackman", M, (0.42, 0.5, 0.08), sym, dtype, device, requires_grad
    )


def cosine(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return half a wave of a sine: sin(pi (n + 1/2) / M).

    Args:
        M: How many elements.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.cosine(3)
    tensor([0.5000, 1.0000, 0.5000])
    """
    return shaped_window(
        "signal.windows.cosine", M, sym, dtype, device, requires_grad,
        lambda n, length: ((n + 0.5) * (pi / length)).sin(),
    )  # fmt: skip


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a window that falls exponentially: exp(-|n - center| / tau).

    Args:
        M: How many elements.
        center: Where it is 1, of a window that is not symmetric; its middle by default.
        tau: Over how many elements it falls to 1 / e; above 0.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        ValueError: `tau` is not above 0, or a symmetric window is given a center.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.exponential(3)
    tensor([0.3679, 1.0000, 0.3679])
    """
    op = "signal.windows.exponential"
    fall = _positive(op, "tau", tau)
    if center is not None and sym:
        raise ValueError(f"{op}: center of a symmetric window; leave it out, or give sym=False")
    middle = None if center is None else check.worth(op, "center", center)

    def shape(n: Tensor, length: int) -> Tensor:
        return ((n - ((length - 1) / 2 if middle is None else middle)).abs() * (-1 / fall)).exp()

    return shaped_window(op, M, sym, dtype, device, requires_grad, shape)


def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a bell: exp(-((n - (M - 1) / 2) / std)^2 / 2).

    Args:
        M: How many elements.
        std: Its deviation in elements; above 0.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        ValueError: `std` is not above 0.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.gaussian(3)
    tensor([0.6065, 1.0000, 0.6065])
    """
    op = "signal.windows.gaussian"
    width = _positive(op, "std", std)
    return shaped_window(
        op, M, sym, dtype, device, requires_grad,
        lambda n, length: (((n - (length - 1) / 2) / width).square() * -0.5).exp(),
    )  # fmt: skip


def general_cosine(
    M: int,
    *,
    a: Iterable[float],
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a sum of cosines: sum over i of (-1)^i a_i cos(2 pi i n / (M - 1)).

    Args:
        M: How many elements.
        a: The weights, one at least.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        ValueError: There are no weights.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.general_cosine(3, a=[0.5, 0.5])
    tensor([0., 1., 0.])
    """
    op = "signal.windows.general_cosine"
    if isinstance(a, (str, bytes)) or not isinstance(a, Iterable):
        raise TypeError(f"{op}: a is of type {type(a).__name__}; a list of numbers is needed")
    weights = tuple(check.worth(op, f"a[{i}]", one) for i, one in enumerate(a))
    if not weights:
        raise ValueError(f"{op}: a without weights; one at least is needed")
    return _cosines(op, M, weights, sym, dtype, device, requires_grad)


def general_hamming(
    M: int,
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a raised cosine: alpha - (1 - alpha) cos(2 pi n / (M - 1)).

    Args:
        M: How many elements.
        alpha: Its mean.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.general_hamming(3, alpha=0.5)
    tensor([0., 1., 0.])
    """
    op = "signal.windows.general_hamming"
    mean = check.worth(op, "alpha", alpha)
    return _cosines(op, M, (mean, 1 - mean), sym, dtype, device, requires_grad)


def hamming(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Hamming window: 0.54 - 0.46 cos(2 pi n / (M - 1)).

    Args:
        M: How many elements.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.hamming(3)
    tensor([0.0800, 1.0000, 0.0800])
    """
    return _cosines("signal.windows.hamming", M, (0.54, 0.46), sym, dtype, device, requires_grad)


def hann(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Hann window: sin^2(pi n / (M - 1)).

    Args:
        M: How many elements.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.hann(4, sym=False).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return _cosines("signal.windows.hann", M, (0.5, 0.5), sym, dtype, device, requires_grad)


def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a Kaiser window: I0(beta sqrt(1 - (2 n / (M - 1) - 1)^2)) / I0(beta).

    Args:
        M: How many elements.
        beta: How fast it falls; 0 or more.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        ValueError: `beta` is negative.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.kaiser(3, beta=2.0)
    tensor([0.4387, 1.0000, 0.4387])
    """
    op = "signal.windows.kaiser"
    if check.worth(op, "beta", beta) < 0:
        raise ValueError(f"{op}: beta {shown(beta)}; 0 or more is needed")
    count, is_symmetric = check.size(op, "M", M), check.flag(op, "sym", sym)
    return kaiser_window(
        count, not is_symmetric, beta,
        dtype=full_precision(op, dtype), device=device, requires_grad=requires_grad,
    )  # fmt: skip


def nuttall(
    M: int,
    *,
    sym: bool = True,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return Nuttall's window of four cosines, whose sides are at -98 dB.

    Its weights are 0.3635819, 0.4891775, 0.1365995 and 0.0106411 (Nuttall, "Some windows with very
    good sidelobe behavior", 1981).

    Args:
        M: How many elements.
        sym: True: symmetric. False: the window of one element more, without its last: what a
            Fourier transform repeats.
        dtype: float32 or float64; the default dtype where it is left out.
        device: That of the result; the CPU by default.
        requires_grad: True makes it a leaf that asks for a gradient.

    Returns:
        A new tensor [M]; 1 where there is one element.

    Raises:
        ShapeError: `M` is negative.
        DTypeError: `dtype` is another one.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.signal.windows.nuttall(3)
    tensor([3.6280e-04, 1.0000e+00, 3.6280e-04])
    """
    return _cosines(
        "signal.windows.nuttall", M, (0.3635819, 0.4891775, 0.1365995, 0.0106411),
        sym, dtype, device, requires_grad,
    )  # fmt: skip


def _cosines(
    op: str,
    M: int,
    weights: tuple[float, ...],
    sym: bool,
    dtype: DType | None,
    device: Device | None,
    requires_grad: bool,
) -> Tensor:
    def shape(n: Tensor, length: int) -> Tensor:
        turn = n * (2 * pi / (length - 1))
        made = _engine.full_like(turn, weights[0])
        for i, weight in enumerate(weights[1:], 1):
            made = made + (turn * i).cos() * (-weight if i % 2 else weight)
        return made

    return shaped_window(op, M, sym, dtype, device, requires_grad, shape)


def _positive(op: str, name: str, given: float) -> float:
    value = check.worth(op, name, given)
    if not value > 0:
        raise ValueError(f"{op}: {name} {value}; a number above 0 is needed")
    return value

"""Transforms along one dim."""

from __future__ import annotations

from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.overridable import all_overridable
from garboard._engine import Tensor
from garboard.fft._forms import between_complex, from_half, to_half

__all__ = ["fft", "hfft", "ifft", "ihfft", "irfft", "rfft"]


@takes_axis
def fft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform to frequencies (discrete Fourier transform) along a dim.

    Args:
        input: Tensor of any dtype; real numbers become complex ones.
        n: How many elements along `dim` are transformed: others are cut off, or zeros added.
        dim: Along which dim.
        norm: Which way divides: "backward" (the default) that back, by the number of elements;
            "forward" the one there; "ortho" both, by its root.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new complex tensor of the sizes that are transformed.

    Raises:
        ShapeError: A dim is named twice or lies outside, or a size is below 1.
        DTypeError: `input` is of 16 bits.
        ValueError: `norm` is none of these.
        DisposedError: The tensor is disposed.

    >>> gb.fft.fft(gb.tensor([1.0, 2.0]))
    tensor([ 3.+0.j, -1.+0.j])
    """
    return between_complex("fft.fft", input, n, dim, norm, out, is_there=True)


@takes_axis
def ifft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform back from frequencies along a dim.

    Args:
        input: Tensor of any dtype; real numbers become complex ones.
        n: How many elements along `dim` are transformed: others are cut off, or zeros added.
        dim: Along which dim.
        norm: Which way divides: "backward" (the default) that back, by the number of elements;
            "forward" the one there; "ortho" both, by its root.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new complex tensor of the sizes that are transformed.

    Raises:
        ShapeError: A dim is named twice or lies outside, or a size is below 1.
        DTypeError: `input` is of 16 bits.
        ValueError: `norm` is none of these.
        DisposedError: The tensor is disposed.

    >>> gb.fft.ifft(gb.tensor([3.0 + 0j, -1.0]))
    tensor([1.+0.j, 2.+0.j])
    """
    return between_complex("fft.ifft", input, n, dim, norm, out, is_there=False)


@takes_axis
def rfft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform real numbers to the first half of their frequencies along a dim.

    Args:
        input: Real tensor; integers become the default dtype.
        n: How many elements along `dim` are transformed: others are cut off, or zeros added.
        dim: Along which dim.
        norm: Which way divides: "backward" (the default) that back, by the number of elements;
            "forward" the one there; "ortho" both, by its root.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new complex tensor: along the last dim the first half of the frequencies, n // 2 + 1.

    Raises:
        ShapeError: A dim is named twice or lies outside, or a size is below 1.
        DTypeError: `input` is complex, or of 16 bits.
        ValueError: `norm` is none of these.
        DisposedError: The tensor is disposed.

    >>> gb.fft.rfft(gb.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j])
    """
    return to_half("fft.rfft", input, n, dim, norm, out, is_there=True)


@takes_axis
def irfft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform the first half of frequencies back to real numbers along a dim.

    Args:
        input: The first half of frequencies that mirror each other along the last dim.
        n: How many elements along `dim` are transformed to: others are cut off, or zeros added.
        dim: Along which dim.
        norm: Which way divides: "backward" (the default) that back, by the number of elements;
            "forward" the one there; "ortho" both, by its root.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new real tensor; without a size asked for, 2 (m - 1) elements along the last dim of m.

    Raises:
        ShapeError: A dim is named twice or lies outside, or a size is below 1.
        DTypeError: `input` is of 16 bits.
        ValueError: `norm` is none of these.
        DisposedError: The tensor is disposed.

    >>> gb.fft.irfft(gb.tensor([10, -2 + 2j, -2]))
    tensor([1., 2., 3., 4.])
    """
    return from_half("fft.irfft", input, n, dim, norm, out, is_there=False)


@takes_axis
def hfft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform the first half of a signal that mirrors itself to its real frequencies.

    Args:
        input: The first half of a signal, whose other half is its mirror image, conjugated.
        n: How many elements along `dim` are transformed to: others are cut off, or zeros added.
        dim: Along which dim.
        norm: Which way divides: "backward" (the default) that back, by the number of elements;
            "forward" the one there; "ortho" both, by its root.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new real tensor; without a size asked for, 2 (m - 1) elements along the last dim of m.

    Raises:
        ShapeError: A dim is named twice or lies outside, or a size is below 1.
        DTypeError: `input` is of 16 bits.
        ValueError: `norm` is none of these.
        DisposedError: The tensor is disposed.

    >>> gb.fft.hfft(gb.tensor([1.0, 2.0, 3.0]))
    tensor([ 8., -2.,  0., -2.])
    """
    return from_half("fft.hfft", input, n, dim, norm, out, is_there=True)


@takes_axis
def ihfft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform real frequencies to the first half of a signal that mirrors itself.

    Args:
        input: Real tensor; integers become the default dtype.
        n: How many elements along `dim` are transformed: others are cut off, or zeros added.
        dim: Along which dim.
        norm: Which way divides: "backward" (the default) that back, by the number of elements;
            "forward" the one there; "ortho" both, by its root.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new complex tensor: along the last dim the first half of the frequencies, n // 2 + 1.

    Raises:
        ShapeError: A dim is named twice or lies outside, or a size is below 1.
        DTypeError: `input` is complex, or of 16 bits.
        ValueError: `norm` is none of these.
        DisposedError: The tensor is disposed.

    >>> gb.fft.ihfft(gb.tensor([8.0, -2.0, 0.0, -2.0]))
    tensor([1.-0.j, 2.-0.j, 3.-0.j])
    """
    return to_half("fft.ihfft", input, n, dim, norm, out, is_there=False)


all_overridable(globals())

"""Transforms along several dims."""

from __future__ import annotations

from collections.abc import Sequence

from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.overridable import all_overridable
from garboard._engine import Tensor
from garboard.fft._arguments import Dims
from garboard.fft._forms import between_complex, from_half, to_half

__all__ = [
    "fft2",
    "fftn",
    "hfft2",
    "hfftn",
    "ifft2",
    "ifftn",
    "ihfft2",
    "ihfftn",
    "irfft2",
    "irfftn",
    "rfft2",
    "rfftn",
]

_LAST_TWO = (-2, -1)


@takes_axis
def fft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = _LAST_TWO,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform to frequencies along two dims.

    Args:
        input: Tensor of any dtype; real numbers become complex ones.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims.
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

    >>> gb.fft.fft2(gb.eye(2))
    tensor([[2.+0.j, 0.+0.j],
            [0.+0.j, 2.+0.j]])
    """
    return between_complex("fft.fft2", input, s, dim, norm, out, is_there=True)


@takes_axis
def ifft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = _LAST_TWO,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform back from frequencies along two dims.

    Args:
        input: Tensor of any dtype; real numbers become complex ones.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims.
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

    >>> gb.fft.ifft2(2 * gb.eye(2, dtype=gb.complex64))
    tensor([[1.+0.j, 0.+0.j],
            [0.+0.j, 1.+0.j]])
    """
    return between_complex("fft.ifft2", input, s, dim, norm, out, is_there=False)


@takes_axis
def rfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = _LAST_TWO,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform real numbers to half of their frequencies along two dims.

    Args:
        input: Real tensor; integers become the default dtype.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims.
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

    >>> gb.fft.rfft2(gb.eye(4)).shape
    (4, 3)
    """
    return to_half("fft.rfft2", input, s, dim, norm, out, is_there=True)


@takes_axis
def irfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = _LAST_TWO,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform half of the frequencies back to real numbers along two dims.

    Args:
        input: The first half of frequencies that mirror each other along the last dim.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims.
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

    >>> gb.fft.irfft2(gb.fft.rfft2(gb.eye(2)))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return from_half("fft.irfft2", input, s, dim, norm, out, is_there=False)


@takes_axis
def hfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = _LAST_TWO,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform half of a signal that mirrors itself to real frequencies along two dims.

    Args:
        input: Half of a signal, whose other half is its mirror image, conjugated.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims.
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

    >>> gb.fft.hfft2(gb.ones(2, 2))
    tensor([[4., 0.],
            [0., 0.]])
    """
    return from_half("fft.hfft2", input, s, dim, norm, out, is_there=True)


@takes_axis
def ihfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = _LAST_TWO,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform real frequencies to half of a signal that mirrors itself, along two dims.

    Args:
        input: Real tensor; integers become the default dtype.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims.
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

    >>> gb.fft.ihfft2(gb.ones(4, 4)).shape
    (4, 3)
    """
    return to_half("fft.ihfft2", input, s, dim, norm, out, is_there=False)


@takes_axis
def fftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Dims = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform to frequencies along several dims.

    Args:
        input: Tensor of any dtype; real numbers become complex ones.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims; by default all, or the last ones, as many as there are sizes.
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

    >>> gb.fft.fftn(gb.eye(2))
    tensor([[2.+0.j, 0.+0.j],
            [0.+0.j, 2.+0.j]])
    """
    return between_complex("fft.fftn", input, s, dim, norm, out, is_there=True)


@takes_axis
def ifftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Dims = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform back from frequencies along several dims.

    Args:
        input: Tensor of any dtype; real numbers become complex ones.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims; by default all, or the last ones, as many as there are sizes.
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

    >>> gb.fft.ifftn(2 * gb.eye(2, dtype=gb.complex64))
    tensor([[1.+0.j, 0.+0.j],
            [0.+0.j, 1.+0.j]])
    """
    return between_complex("fft.ifftn", input, s, dim, norm, out, is_there=False)


@takes_axis
def rfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Dims = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform real numbers to half of their frequencies along several dims.

    Args:
        input: Real tensor; integers become the default dtype.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims; by default all, or the last ones, as many as there are sizes.
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

    >>> gb.fft.rfftn(gb.eye(4)).shape
    (4, 3)
    """
    return to_half("fft.rfftn", input, s, dim, norm, out, is_there=True)


@takes_axis
def irfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Dims = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform half of the frequencies back to real numbers along several dims.

    Args:
        input: The first half of frequencies that mirror each other along the last dim.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims; by default all, or the last ones, as many as there are sizes.
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

    >>> gb.fft.irfftn(gb.fft.rfftn(gb.eye(2)))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return from_half("fft.irfftn", input, s, dim, norm, out, is_there=False)


@takes_axis
def hfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Dims = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform half of a signal that mirrors itself to real frequencies along several dims.

    Args:
        input: Half of a signal, whose other half is its mirror image, conjugated.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims; by default all, or the last ones, as many as there are sizes.
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

    >>> gb.fft.hfftn(gb.ones(2, 2))
    tensor([[4., 0.],
            [0., 0.]])
    """
    return from_half("fft.hfftn", input, s, dim, norm, out, is_there=True)


@takes_axis
def ihfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Dims = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Transform real frequencies to half of a signal that mirrors itself, along several dims.

    Args:
        input: Real tensor; integers become the default dtype.
        s: Sizes along the dims, to which is cut or padded with zeros; -1 for its own.
        dim: Along which dims; by default all, or the last ones, as many as there are sizes.
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

    >>> gb.fft.ihfftn(gb.ones(4, 4)).shape
    (4, 3)
    """
    return to_half("fft.ihfftn", input, s, dim, norm, out, is_there=False)


all_overridable(globals())

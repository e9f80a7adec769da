"""What rounding to few integers does to numbers: training that knows of it, and their products."""

from __future__ import annotations

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DTypeError, ShapeError, Tensor, int8, int32

__all__ = ["_int_mm", "fake_quantize_per_channel_affine", "fake_quantize_per_tensor_affine"]


def _int_mm(self: Tensor, mat2: Tensor) -> Tensor:
    """Multiply matrices of int8 in int32, which wraps around.

    Args:
        self: Tensor [rows, depth] of int8.
        mat2: Tensor [depth, columns] of int8.

    Returns:
        A new tensor [rows, columns] of int32.

    Raises:
        DTypeError: One is not int8.
        ShapeError: They are no two matrices, or the inner sizes differ.
        DeviceError: They are on two devices.
        DisposedError: One is disposed.
    """
    for name, given in (("self", self), ("mat2", mat2)):
        if check.tensor("_int_mm", name, given).dtype != int8:
            raise DTypeError(f"_int_mm: {name} of dtype {given.dtype}; int8 is needed")
    wide = self.to(int32)
    return wide.mm(mat2.to(int32))


def _rounded(
    op: str, x: Tensor, scale: float | Tensor, zero: int | Tensor, low: object, high: object
) -> Tensor:
    least, most = check.integer(op, "quant_min", low), check.integer(op, "quant_max", high)
    if least > most:
        raise ArgumentError(f"{op}: quant_min {least} and quant_max {most}; it may not be above")
    with no_grad():
        places = (x / scale + zero).round()
        fits = (places >= least) & (places <= most)
        step = (places.clamp(least, most) - zero) * scale - x
    # The gradient is that of x, and 0 where a number lies beyond what the integers reach.
    return x.where(fits, x.detach()) + step.to(x.dtype)


def fake_quantize_per_tensor_affine(
    input: Tensor, scale: float | Tensor, zero_point: int | Tensor, quant_min: int, quant_max: int
) -> Tensor:
    """Compute (clamp(round(input / scale + zero_point), quant_min, quant_max) - zero_point) scale.

    Its gradient is 1 where nothing is clamped, else 0. A half lies nearer to the even integer.

    Args:
        input: Tensor of any shape, floating.
        scale: How far apart the numbers that are left lie, above 0: a number, or a tensor of one.
        zero_point: The integer that stands for 0, likewise.
        quant_min: The least integer.
        quant_max: The largest one.

    Returns:
        A new tensor. Until backward the graph keeps a mask.

    Raises:
        ValueError: `quant_min` is above `quant_max`.
        TypeError: One is of a wrong type.

    >>> gb.fake_quantize_per_tensor_affine(gb.tensor([0.26, -9.0]), 0.1, 0, -8, 7)
    tensor([ 0.3000, -0.8000])
    """
    op = "fake_quantize_per_tensor_affine"
    x = check.tensor(op, "input", input)
    step = scale if isinstance(scale, Tensor) else check.real(op, "scale", scale)
    zero = (
        zero_point
        if isinstance(zero_point, Tensor)
        else check.integer(op, "zero_point", zero_point)
    )
    return _rounded(op, x, step, zero, quant_min, quant_max)


def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """Compute the same with a scale and a zero point for each place along a dim.

    Args:
        input: Tensor of any shape, floating.
        scale: Tensor [channels], above 0.
        zero_point: Tensor [channels] of integers.
        axis: The dim that they are of.
        quant_min: The least integer.
        quant_max: The largest one.

    Returns:
        A new tensor. Until backward the graph keeps a mask.

    Raises:
        ShapeError: They are not as many as the dim is long, or the dim is out of range.
        ValueError: `quant_min` is above `quant_max`.
        TypeError: One is of a wrong type.

    >>> gb.fake_quantize_per_channel_affine(
    ...     gb.full((2, 1), 0.26), gb.tensor([0.1, 0.5]), gb.tensor([0, 0]), 0, -8, 7
    ... )
    tensor([[0.3000],
            [0.5000]])
    """
    op = "fake_quantize_per_channel_affine"
    x, scales = check.tensor(op, "input", input), check.tensor(op, "scale", scale)
    zeros, dim = check.tensor(op, "zero_point", zero_point), check.integer(op, "axis", axis)
    channels = x.size(dim)
    if scales.shape != (channels,) or zeros.shape != (channels,):
        raise ShapeError(
            f"{op}: scale of sizes {list(scales.shape)}, zero_point of {list(zeros.shape)}; "
            f"[{channels}] are needed"
        )
    sizes = [1] * x.ndim
    sizes[dim] = channels
    return _rounded(op, x, scales.view(sizes), zeros.view(sizes), quant_min, quant_max)

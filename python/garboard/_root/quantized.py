"""What rounding to few integers does to numbers: training that knows of it, and their products."""

from __future__ import annotations

from math import inf

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DTypeError, ShapeError, Tensor, float32, int8, int32, promote_types

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


def _limits(op: str, low: object, high: object) -> tuple[int, int]:
    least, most = check.integer(op, "quant_min", low), check.integer(op, "quant_max", high)
    if least > most:
        raise ArgumentError(f"{op}: quant_min {least} and quant_max {most}; it may not be above")
    return least, most


def _rounded(
    op: str, input: Tensor, scale: Tensor, zero: int | Tensor, least: int, most: int
) -> Tensor:
    if not input.is_floating_point():
        raise DTypeError(f"{op}: input of dtype {input.dtype}; a floating one is needed")
    is_moved = isinstance(zero, Tensor) and zero.is_floating_point()
    # In float32 at least, and by one over the scale, as PyTorch: it decides what lies on a half.
    with no_grad():
        places = input.to(promote_types(input.dtype, float32)) * scale.reciprocal()
        # An integer is added afterwards: an odd one would move a half to the other neighbour.
        places = (places + zero).round() if is_moved else places.round() + zero
        fits = (places >= least) & (places <= most)
        places = places.nan_to_num(least, inf, -inf).clamp(least, most)
        made = ((places.to(float32) - zero) * scale).to(input.dtype)
    passed = input.masked_fill(fits.logical_not(), 0)
    return made + (passed - passed.detach())  # 0, whose gradient is that of what fits


def _one_of(op: str, name: str, given: Tensor) -> Tensor:
    if given.numel() != 1:
        raise ShapeError(f"{op}: {name} of sizes {list(given.shape)}; one number is needed")
    return given.reshape(())


def _check_zero(op: str, zero: float, least: int, most: int) -> None:
    if not least <= zero <= most:
        told = f"zero_point {shown(zero)}; a number from {shown(least)} to {shown(most)}"
        raise ArgumentError(f"{op}: {told} is needed")


def fake_quantize_per_tensor_affine(
    input: Tensor, scale: float | Tensor, zero_point: int | Tensor, quant_min: int, quant_max: int
) -> Tensor:
    """Compute (clamp(round(input / scale) + zero_point, quant_min, quant_max) - zero_point) scale.

    Its gradient is 1 where nothing is clamped, else 0. A half lies nearer to the even integer, and
    NaN becomes the least. The scale is a number of float32.

    Args:
        input: Tensor of any shape, floating.
        scale: How far apart the numbers that are left lie, above 0: a number, or a tensor of one.
        zero_point: The integer that stands for 0, likewise.
        quant_min: The least integer.
        quant_max: The largest one.

    Returns:
        A new tensor. Until backward the graph keeps a mask.

    Raises:
        ValueError: `quant_min` is above `quant_max`, or a `zero_point` that is a number is not
            between them.
        ShapeError: `scale` or `zero_point` is a tensor of several numbers.
        DTypeError: `input` is not floating.
        TypeError: One is of a wrong type.

    >>> gb.fake_quantize_per_tensor_affine(gb.tensor([0.26, -9.0]), 0.1, 0, -8, 7)
    tensor([ 0.3000, -0.8000])
    """
    op = "fake_quantize_per_tensor_affine"
    x = check.tensor(op, "input", input)
    least, most = _limits(op, quant_min, quant_max)
    if not isinstance(scale, Tensor):
        scale = _engine.tensor(check.real(op, "scale", scale), device=x.device)
    if isinstance(zero_point, Tensor):
        zero_point = _one_of(op, "zero_point", zero_point).long()
    else:
        zero_point = check.integer(op, "zero_point", zero_point)
        _check_zero(op, zero_point, least, most)
    step = _one_of(op, "scale", scale).to(float32)
    return _rounded(op, x, step, zero_point, least, most)


def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """Compute the same with a scale and a zero point for each place along a dim.

    Args:
        input: Tensor of any shape, floating.
        scale: Tensor [channels], above 0.
        zero_point: Tensor [channels] of integers, or of what is added before rounding.
        axis: The dim that they are of.
        quant_min: The least integer.
        quant_max: The largest one.

    Returns:
        A new tensor. Until backward the graph keeps a mask.

    Raises:
        ShapeError: They are not as many as the dim is long, or the dim is out of range.
        ValueError: `quant_min` is above `quant_max`, or an integer of `zero_point` is not between
            them.
        DTypeError: `input` is not floating.
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
    least, most = _limits(op, quant_min, quant_max)
    if not zeros.is_floating_point():
        for zero in zeros.tolist():
            _check_zero(op, zero, least, most)
    sizes = [1] * x.ndim
    sizes[dim] = channels
    step = scales.to(float32).reshape(sizes)
    return _rounded(op, x, step, zeros.reshape(sizes), least, most)

"""Activations that write into their input."""

from __future__ import annotations

from collections.abc import Callable

from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._engine import Tensor
from garboard.nn.functional._activations import celu, elu, hardtanh, leaky_relu, selu
from garboard.nn.functional._activations import threshold as _threshold
from garboard.nn.functional._places import written
from garboard.nn.functional._slices import rrelu

__all__ = [
    "celu_",
    "elu_",
    "hardtanh_",
    "leaky_relu_",
    "relu_",
    "rrelu_",
    "selu_",
    "threshold_",
]


def _written(op: str, input: Tensor, activation: Callable[[Tensor], Tensor]) -> Tensor:
    return written(check.tensor(op, "input", input), activation)


def relu_(input: Tensor) -> Tensor:
    """Write 0 over what is negative.

    Args:
        input: Tensor of any shape and of a floating dtype; it is written.

    Returns:
        `input`.

    Raises:
        GradientError: `input` is a leaf that requires grad.
        DTypeError: The dtype has no such function.
        TypeError: An argument of another type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.relu_(gb.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return check.tensor("relu_", "input", input).relu_()


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Multiply what is negative by a slope.

    Args:
        input: Tensor of any shape and of a floating dtype; it is written.
        negative_slope: The slope.

    Returns:
        `input`.

    Raises:
        GradientError: `input` is a leaf that requires grad.
        DTypeError: The dtype has no such function.
        TypeError: An argument of another type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.leaky_relu_(gb.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    return _written("leaky_relu_", input, lambda x: leaky_relu(x, negative_slope))


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Bend what is negative towards -alpha.

    Args:
        input: Tensor of any shape and of a floating dtype; it is written.
        alpha: How far below 0 it goes.

    Returns:
        `input`.

    Raises:
        GradientError: `input` is a leaf that requires grad.
        DTypeError: The dtype has no such function.
        TypeError: An argument of another type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.elu_(gb.tensor([-100.0, 2.0]))
    tensor([-1.,  2.])
    """
    return _written("elu_", input, lambda x: elu(x, alpha))


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Bend what is negative towards -alpha, with a slope of 1 at 0.

    Args:
        input: Tensor of any shape and of a floating dtype; it is written.
        alpha: How far below 0 it goes.

    Returns:
        `input`.

    Raises:
        GradientError: `input` is a leaf that requires grad.
        DTypeError: The dtype has no such function.
        TypeError: An argument of another type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.celu_(gb.tensor([-100.0, 2.0]))
    tensor([-1.,  2.])
    """
    return _written("celu_", input, lambda x: celu(x, alpha))


def selu_(input: Tensor) -> Tensor:
    """Scale, and bend what is negative, so that means and variances stay.

    Args:
        input: Tensor of any shape and of a floating dtype; it is written.

    Returns:
        `input`.

    Raises:
        GradientError: `input` is a leaf that requires grad.
        DTypeError: The dtype has no such function.
        TypeError: An argument of another type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.selu_(gb.tensor([0.0]))
    tensor([0.])
    """
    return _written("selu_", input, selu)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Clamp between two values.

    Args:
        input: Tensor of any shape and of a floating dtype; it is written.
        min_val: The least value.
        max_val: The largest.

    Returns:
        `input`.

    Raises:
        GradientError: `input` is a leaf that requires grad.
        DTypeError: The dtype has no such function.
        TypeError: An argument of another type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.hardtanh_(gb.tensor([-3.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    return _written("hardtanh_", input, lambda x: hardtanh(x, min_val, max_val))


def rrelu_(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False
) -> Tensor:
    """Multiply what is negative by a slope that is drawn between two bounds.

    Args:
        input: Tensor of any shape and of a floating dtype; it is written.
        lower: The least slope.
        upper: The greatest.
        training: Draw one an element; else their mean is taken.

    Returns:
        `input`.

    Raises:
        GradientError: `input` is a leaf that requires grad.
        ValueError: `lower` is above `upper`.
        DTypeError: The dtype has no such function.
        TypeError: An argument of another type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.rrelu_(gb.tensor([-1.0, 2.0]), 0.5, 0.5)
    tensor([-0.5000,  2.0000])
    """
    return _written("rrelu_", input, lambda x: rrelu(x, lower, upper, training))


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Replace what is not above a threshold.

    Args:
        input: Tensor of any shape and of a floating dtype; it is written.
        threshold: What is not above it is replaced.
        value: What it is replaced by.

    Returns:
        `input`.

    Raises:
        GradientError: `input` is a leaf that requires grad.
        DTypeError: The dtype has no such function.
        TypeError: An argument of another type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.threshold_(gb.tensor([1.0, 2.0]), 1.0, 9.0)
    tensor([9., 2.])
    """
    return _written("threshold_", input, lambda x: _threshold(x, threshold, value))


all_overridable(globals())

"""First values of parameters: each function fills a tensor in place and returns it.

Draws come from the default generator: `gb.manual_seed` makes them the same again.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod, sqrt
from typing import TYPE_CHECKING

from garboard import _check as check
from garboard._engine import ShapeError, Tensor
from garboard._grad_mode import no_grad
from garboard._missing import module_getattr

__all__ = [
    "calculate_gain",
    "constant_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)


_GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": sqrt(2), "selu": 3 / 4}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return by how much weights before a nonlinearity are widened.

    Args:
        nonlinearity: "linear", "sigmoid", "tanh", "relu", "leaky_relu" or "selu".
        param: The slope of "leaky_relu", 0.01 by default.

    Raises:
        ValueError: Another name.
        TypeError: `param` is no number.

    >>> gb.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    name = check.choice("calculate_gain", "nonlinearity", nonlinearity, *_GAINS, "leaky_relu")
    if name != "leaky_relu":
        return _GAINS[name]
    slope = 0.01 if param is None else check.worth("calculate_gain", "param", param)
    return sqrt(2 / (1 + slope * slope))  # a power would overflow


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Draw from the uniform distribution on [a, b).

    Args:
        tensor: A tensor of any shape and of a floating dtype.
        a: The least number.
        b: The upper bound.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        DTypeError: The dtype is no floating one.
        ShapeError: `a` is above `b`.
        DisposedError: The tensor is disposed.

    >>> x = gb.nn.init.uniform_(gb.zeros(100), 2, 3)
    >>> x.amin().item() >= 2, x.amax().item() < 3
    (True, True)
    """
    return _filled("uniform_", tensor, Tensor.uniform_, a, b)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Draw from a normal distribution.

    Args:
        tensor: A tensor of any shape and of a floating dtype.
        mean: Its mean.
        std: Its standard deviation.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        DTypeError: The dtype is no floating one.
        ShapeError: `std` is negative.
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.normal_(gb.zeros(2), mean=3.0, std=0.0)
    tensor([3., 3.])
    """
    return _filled("normal_", tensor, Tensor.normal_, mean, std)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Write `val` everywhere.

    Args:
        tensor: A tensor of any shape and dtype.
        val: The number.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        DTypeError: The number does not fit into the integer dtype.
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.constant_(gb.zeros(2), 7)
    tensor([7., 7.])
    """
    return _filled("constant_", tensor, Tensor.fill_, val)


def zeros_(tensor: Tensor) -> Tensor:
    """Write 0 everywhere.

    Args:
        tensor: A tensor of any shape and dtype.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.zeros_(gb.ones(2))
    tensor([0., 0.])
    """
    return _filled("zeros_", tensor, Tensor.fill_, 0)


def ones_(tensor: Tensor) -> Tensor:
    """Write 1 everywhere.

    Args:
        tensor: A tensor of any shape and dtype.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.ones_(gb.zeros(2))
    tensor([1., 1.])
    """
    return _filled("ones_", tensor, Tensor.fill_, 1)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Draw uniformly within gain * sqrt(6 / (fan_in + fan_out)) of zero.

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    2010. The fans of a tensor [out, in, ...] are in and out times the product of the other sizes.

    Args:
        tensor: [out, in, ...], of a floating dtype.
        gain: What the bound is widened by; see `calculate_gain`.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        ShapeError: There are fewer than 2 dims.
        DTypeError: The dtype is no floating one.
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.xavier_uniform_(gb.zeros(3, 3)).abs().amax().item() <= 1
    True
    """
    bound = sqrt(3) * _xavier_deviation("xavier_uniform_", tensor, gain)
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Draw normally, with a deviation of gain * sqrt(2 / (fan_in + fan_out)).

    The fans and the source are those of `xavier_uniform_`.

    Args:
        tensor: [out, in, ...], of a floating dtype.
        gain: What the deviation is widened by; see `calculate_gain`.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        ShapeError: There are fewer than 2 dims.
        DTypeError: The dtype is no floating one.
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.xavier_normal_(gb.zeros(2, 3), gain=0.0)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    return normal_(tensor, 0.0, _xavier_deviation("xavier_normal_", tensor, gain))


def kaiming_uniform_(
    tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """Draw uniformly within gain * sqrt(3 / fan) of zero.

    He et al., "Delving deep into rectifiers", arXiv:1502.01852. The fans are those of
    `xavier_uniform_`.

    Args:
        tensor: [out, in, ...], of a floating dtype.
        a: The slope of "leaky_relu".
        mode: "fan_in" keeps the variance in forward, "fan_out" in backward.
        nonlinearity: What follows the weights; see `calculate_gain`.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        ShapeError: There are fewer than 2 dims.
        ValueError: Another mode or nonlinearity.
        DTypeError: The dtype is no floating one.
        DisposedError: The tensor is disposed.

    >>> x = gb.nn.init.kaiming_uniform_(gb.zeros(2, 6), nonlinearity="relu")
    >>> x.abs().amax().item() <= 1
    True
    """
    deviation = _kaiming_deviation("kaiming_uniform_", tensor, a, mode, nonlinearity)
    return uniform_(tensor, -sqrt(3) * deviation, sqrt(3) * deviation)


def kaiming_normal_(
    tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """Draw normally, with a deviation of gain / sqrt(fan).

    The fans and the source are those of `kaiming_uniform_`.

    Args:
        tensor: [out, in, ...], of a floating dtype.
        a: The slope of "leaky_relu".
        mode: "fan_in" keeps the variance in forward, "fan_out" in backward.
        nonlinearity: What follows the weights; see `calculate_gain`.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        ShapeError: There are fewer than 2 dims.
        ValueError: Another mode or nonlinearity.
        DTypeError: The dtype is no floating one.
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.kaiming_normal_(gb.zeros(2, 3)).shape
    (2, 3)
    """
    deviation = _kaiming_deviation("kaiming_normal_", tensor, a, mode, nonlinearity)
    return normal_(tensor, 0.0, deviation)


def _filled(op: str, tensor: Tensor, fill: Callable[..., Tensor], *arguments: float) -> Tensor:
    with no_grad():
        return fill(check.tensor(op, "tensor", tensor), *arguments)


def _fans(op: str, tensor: Tensor) -> tuple[int, int]:
    if check.tensor(op, "tensor", tensor).ndim < 2:
        raise ShapeError(f"{op}: a tensor of sizes {list(tensor.shape)}; 2 or more dims are needed")
    field = prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _xavier_deviation(op: str, tensor: Tensor, gain: float) -> float:
    widened = check.worth(op, "gain", gain)
    return widened * sqrt(2 / max(sum(_fans(op, tensor)), 1))  # no fan: nothing to draw


def _kaiming_deviation(
    op: str, tensor: Tensor, slope: float, mode: str, nonlinearity: str
) -> float:
    slope = check.worth(op, "a", slope)
    fans = dict(zip(("fan_in", "fan_out"), _fans(op, tensor), strict=True))
    fan = fans[check.choice(op, "mode", mode, *fans)]
    return calculate_gain(nonlinearity, slope) / sqrt(max(fan, 1))

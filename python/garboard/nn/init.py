"""First values of parameters: each function fills a tensor in place and returns it.

Draws come from a generator; `gb.manual_seed` makes those of the default one the same again.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor
from garboard._names.missing import module_getattr
from garboard.nn._fans import _calculate_correct_fan as _calculate_correct_fan
from garboard.nn._fans import _calculate_fan_in_and_fan_out as _calculate_fan_in_and_fan_out
from garboard.nn._fans import fan_of, fans_of, xavier_deviation

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

if TYPE_CHECKING:
    from garboard._contexts.generator import Generator
else:
    __getattr__ = module_getattr(__name__, older=tuple(it[:-1] for it in __all__ if it[-1] == "_"))


_CONVOLUTIONS = [f"{kind}{n}d" for kind in ("conv", "conv_transpose") for n in (1, 2, 3)]
_GAINS = {
    "linear": 1.0,
    "sigmoid": 1.0,
    "tanh": 5 / 3,
    "relu": sqrt(2),
    "selu": 3 / 4,
    **dict.fromkeys(_CONVOLUTIONS, 1.0),
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return by how much weights before a nonlinearity are widened.

    Args:
        nonlinearity: "linear", "conv2d" and the like, "sigmoid", "tanh", "relu", "leaky_relu" or
            "selu".
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


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Draw from the uniform distribution on [a, b).

    Args:
        tensor: A tensor of any shape and of a floating dtype; of a complex one both parts are.
        a: The least number.
        b: The upper bound.
        generator: What is drawn from; by default the generator that `gb.manual_seed` restarts.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        DTypeError: The dtype is no floating or complex one.
        ShapeError: `a` is above `b`.
        DisposedError: The tensor is disposed.

    >>> x = gb.nn.init.uniform_(gb.zeros(100), 2, 3)
    >>> x.amin().item() >= 2, x.amax().item() < 3
    (True, True)
    """
    return _filled("uniform_", tensor, Tensor.uniform_, a, b, generator=generator)


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Draw from a normal distribution.

    Args:
        tensor: A tensor of any shape and of a floating dtype.
        mean: Its mean.
        std: Its standard deviation.
        generator: What is drawn from; by default the generator that `gb.manual_seed` restarts.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        DTypeError: The dtype is no floating one.
        ShapeError: `std` is negative.
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.normal_(gb.zeros(2), mean=3.0, std=0.0)
    tensor([3., 3.])
    """
    return _filled("normal_", tensor, Tensor.normal_, mean, std, generator=generator)


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


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Draw uniformly within gain * sqrt(6 / (fan_in + fan_out)) of zero.

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    2010. The fans of a tensor [out, in, ...] are in and out times the product of the other sizes.

    Args:
        tensor: [out, in, ...], of a floating dtype.
        gain: What the bound is widened by; see `calculate_gain`.
        generator: What is drawn from; by default the generator that `gb.manual_seed` restarts.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        ShapeError: There are fewer than 2 dims.
        DTypeError: The dtype is no floating one.
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.xavier_uniform_(gb.zeros(3, 3)).abs().amax().item() <= 1
    True
    """
    bound = sqrt(3) * xavier_deviation("xavier_uniform_", tensor, gain)
    return uniform_(tensor, -bound, bound, generator=generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw normally, with a deviation of gain * sqrt(2 / (fan_in + fan_out)).

    The fans and the source are those of `xavier_uniform_`.

    Args:
        tensor: [out, in, ...], of a floating dtype.
        gain: What the deviation is widened by; see `calculate_gain`.
        generator: What is drawn from; by default the generator that `gb.manual_seed` restarts.

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
    return normal_(
        tensor, 0.0, xavier_deviation("xavier_normal_", tensor, gain), generator=generator
    )


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Draw uniformly within gain * sqrt(3 / fan) of zero.

    He et al., "Delving deep into rectifiers", arXiv:1502.01852. The fans are those of
    `xavier_uniform_`.

    Args:
        tensor: [out, in, ...], of a floating dtype.
        a: The slope of "leaky_relu".
        mode: "fan_in" keeps the variance in forward, "fan_out" in backward.
        nonlinearity: What follows the weights; see `calculate_gain`.
        generator: What is drawn from; by default the generator that `gb.manual_seed` restarts.

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
    return uniform_(tensor, -sqrt(3) * deviation, sqrt(3) * deviation, generator=generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Draw normally, with a deviation of gain / sqrt(fan).

    The fans and the source are those of `kaiming_uniform_`.

    Args:
        tensor: [out, in, ...], of a floating dtype.
        a: The slope of "leaky_relu".
        mode: "fan_in" keeps the variance in forward, "fan_out" in backward.
        nonlinearity: What follows the weights; see `calculate_gain`.
        generator: What is drawn from; by default the generator that `gb.manual_seed` restarts.

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
    return normal_(tensor, 0.0, deviation, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Draw from a normal distribution between two bounds; what falls outside is drawn anew.

    Args:
        tensor: A tensor of any shape and of a floating dtype.
        mean: Its mean.
        std: Its standard deviation.
        a: The least number.
        b: The greatest; at most a little outside of all that is drawn anew is cut off.
        generator: What is drawn from; by default the generator that `gb.manual_seed` restarts.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        DTypeError: The dtype is no floating one.
        ShapeError: `std` is negative.
        DisposedError: The tensor is disposed.

    >>> x = gb.nn.init.trunc_normal_(gb.zeros(100), a=-0.5, b=0.5)
    >>> x.abs().amax().item() <= 0.5
    True
    """
    op = "trunc_normal_"
    least, most = check.worth(op, "a", a), check.worth(op, "b", b)
    with no_grad():
        check.tensor(op, "tensor", tensor).normal_(mean, std, generator=generator)
        for _ in range(64):
            is_out = (tensor < least) | (tensor > most)
            if not bool(is_out.any()):
                return tensor
            redrawn = _engine.empty_like(tensor).normal_(mean, std, generator=generator)
            tensor.copy_(_engine.where(is_out, redrawn, tensor))
        return tensor.clamp_(least, most)


def eye_(tensor: Tensor) -> Tensor:
    """Write 1 on the diagonal, and 0 everywhere else.

    Args:
        tensor: A tensor of two dims.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        ShapeError: More or fewer dims.
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.eye_(gb.empty(2, 2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if check.tensor("eye_", "tensor", tensor).ndim != 2:
        raise ShapeError(f"eye_: a tensor of sizes {list(tensor.shape)}; two dims are needed")
    with no_grad():
        return tensor.copy_(_engine.eye(*tensor.shape, device=tensor.device))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Let a convolution pass its channels on: 1 in the middle of channel i for output i.

    Args:
        tensor: [out, in, ...] of three to five dims.
        groups: Of the convolution; they divide the outputs.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        ShapeError: More or fewer dims, or groups that do not divide the outputs.
        DisposedError: The tensor is disposed.

    >>> gb.nn.init.dirac_(gb.empty(1, 1, 3)).tolist()
    [[[0.0, 1.0, 0.0]]]
    """
    shape = check.tensor("dirac_", "tensor", tensor).shape
    count = check.count("dirac_", "groups", groups, 1)
    if not 3 <= len(shape) <= 5 or shape[0] % count:
        raise ShapeError(
            f"dirac_: a tensor of sizes {list(shape)} in {count} groups; three to five dims, and "
            "outputs that the groups divide, are needed"
        )
    with no_grad():
        tensor.zero_()
        middle = tuple(size // 2 for size in shape[2:])
        own = shape[0] // count
        for place in range(shape[0]):
            if place % own < shape[1]:
                tensor[(place, place % own, *middle)] = 1
    return tensor


def sparse_(
    tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None
) -> Tensor:
    """Draw normally, and write 0 into a part of each column (Martens, 2010).

    Args:
        tensor: A tensor of two dims and of a floating dtype.
        sparsity: Which part of each column is 0, rounded up.
        std: The deviation of the rest.
        generator: What is drawn from.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        ShapeError: More or fewer dims.
        ValueError: A part out of [0, 1].
        DisposedError: The tensor is disposed.

    >>> (gb.nn.init.sparse_(gb.zeros(10, 3), sparsity=0.25) == 0).sum(0).tolist()
    [3, 3, 3]
    """
    if check.tensor("sparse_", "tensor", tensor).ndim != 2:
        raise ShapeError(f"sparse_: a tensor of sizes {list(tensor.shape)}; two dims are needed")
    count = ceil(check.share("sparse_", "sparsity", sparsity) * len(tensor))
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in tensor.unbind(1):
            column[_engine.randperm(len(column), generator=generator)[:count]] = 0
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw a matrix whose rows, or columns, are orthogonal and of length `gain`.

    Saxe, McClelland and Ganguli, arXiv:1312.6120; by a QR decomposition, of half types in float32.

    Args:
        tensor: [rows, ...] of two or more dims, which is taken as a matrix.
        gain: The length of the shorter ones.
        generator: What is drawn from; by default the generator that `gb.manual_seed` restarts.

    Returns:
        The tensor itself. Nothing is recorded, so a leaf that requires grad may be given.

    Raises:
        ShapeError: Fewer than two dims.
        DisposedError: The tensor is disposed.

    >>> x = gb.nn.init.orthogonal_(gb.zeros(2, 3))
    >>> gb.allclose(x @ x.T, gb.eye(2), atol=1e-6)
    True
    """
    op = "orthogonal_"
    fans_of(op, tensor)
    scale = check.worth(op, "gain", gain)
    if not tensor.numel():
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    dtype = _engine.float64 if tensor.dtype == _engine.float64 else _engine.float32
    sizes = (max(rows, columns), min(rows, columns))
    with no_grad(), _engine.DisposeScope(op):
        drawn = _engine.randn(sizes, dtype=dtype, generator=generator)
        q, r = _engine._linalg_qr(drawn, "reduced", op)
        q *= r.diagonal().sign() * scale  # else the draw would not be uniform
        return tensor.copy_((q if rows >= columns else q.t()).reshape(tensor.shape))


def _filled(
    op: str, tensor: Tensor, fill: Callable[..., Tensor], *arguments: float, **named: Any
) -> Tensor:
    with no_grad():
        fill(check.tensor(op, "tensor", tensor), *arguments, **named)
    return tensor


def _kaiming_deviation(
    op: str, tensor: Tensor, slope: float, mode: str, nonlinearity: str
) -> float:
    slope = check.worth(op, "a", slope)
    return calculate_gain(nonlinearity, slope) / sqrt(max(fan_of(op, tensor, mode), 1))


# Under the names that programs import.
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_

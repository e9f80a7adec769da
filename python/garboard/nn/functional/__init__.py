"""What layers compute, as functions. Those the engine has under the same name are the engine's."""

from __future__ import annotations

from typing import TYPE_CHECKING
from warnings import warn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.callers import level_of_caller
from garboard._arguments.overridable import all_overridable
from garboard._engine import (
    DTypeError,
    IndexOutOfRangeError,
    ShapeError,
    Tensor,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    gelu,
    layer_norm,
    linear,
    pad,
    scaled_dot_product_attention,
)
from garboard._names.missing import module_getattr
from garboard._ops.distances import pdist
from garboard.nn.functional._activations import (
    celu,
    elu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    logsigmoid,
    mish,
    relu6,
    selu,
    silu,
    softplus,
    softshrink,
    softsign,
    tanhshrink,
    threshold,
)
from garboard.nn.functional._attention import multi_head_attention_forward
from garboard.nn.functional._bags import embedding_bag
from garboard.nn.functional._bilinear import bilinear
from garboard.nn.functional._dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from garboard.nn.functional._element_losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
)
from garboard.nn.functional._embedding import embedding
from garboard.nn.functional._folds import (
    fold,
    unfold,
)
from garboard.nn.functional._fractional_pools import (
    fractional_max_pool2d,
    fractional_max_pool3d,
)
from garboard.nn.functional._grids import affine_grid, grid_sample
from garboard.nn.functional._in_place import (
    celu_,
    elu_,
    hardtanh_,
    leaky_relu_,
    relu_,
    rrelu_,
    selu_,
    threshold_,
)
from garboard.nn.functional._linear_losses import linear_cross_entropy
from garboard.nn.functional._losses import (
    cross_entropy,
    mse_loss,
    nll_loss,
)
from garboard.nn.functional._norms import (
    batch_norm,
    group_norm,
    instance_norm,
    local_response_norm,
    rms_norm,
)
from garboard.nn.functional._pools import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from garboard.nn.functional._ranking import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from garboard.nn.functional._sampling import (
    channel_shuffle,
    interpolate,
    pixel_shuffle,
    pixel_unshuffle,
    upsample,
    upsample_bilinear,
    upsample_nearest,
)
from garboard.nn.functional._sequence_losses import ctc_loss
from garboard.nn.functional._slices import (
    cosine_similarity,
    glu,
    gumbel_softmax,
    normalize,
    pairwise_distance,
    prelu,
    rrelu,
)
from garboard.nn.functional._unpools import (
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "linear_cross_entropy",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]

# What published programs take from PyTorch's module besides, by where it stands here.
_BESIDES = {
    "_attention_parts": (
        "_Reduction _canonical_mask _in_projection _in_projection_packed _mha_shape_check "
        "_none_or_dtype _pair _single _triple handle_torch_function has_torch_function "
        "has_torch_function_unary has_torch_function_variadic"
    ),
    "_indexed_pools": (
        "adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices "
        "adaptive_max_pool3d_with_indices fractional_max_pool2d_with_indices "
        "fractional_max_pool3d_with_indices max_pool1d_with_indices max_pool2d_with_indices "
        "max_pool3d_with_indices"
    ),
    "_by_other_paths": "grad native_channel_shuffle",
    "_times_first": "conv_tbc",
}
_HOMES = {name: home for home, names in _BESIDES.items() for name in names.split()}
if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__, homes=_HOMES)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Compute max(input, 0).

    Args:
        input: Tensor of any shape and of any dtype but bool.
        inplace: Write into `input`.

    Returns:
        A new tensor, or `input` itself. Until backward the graph keeps the result.

    Raises:
        DTypeError: `input` is bool.
        GradientError: `inplace`, grad mode is on, and `input` is a leaf that requires grad.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.relu(gb.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return check.tensor("relu", "input", input).relu_() if inplace else _engine.relu(input)


def sigmoid(input: Tensor) -> Tensor:
    """Compute 1 / (1 + exp(-input)), as `gb.sigmoid` does.

    Args:
        input: Tensor of any shape and dtype; of integers the result is floating.

    Returns:
        A new tensor. Until backward the graph keeps it.

    Raises:
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.sigmoid(gb.zeros(1)).item()
    0.5
    """
    return _engine.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """Compute the hyperbolic tangent, as `gb.tanh` does.

    Args:
        input: Tensor of any shape and dtype; of integers the result is floating.

    Returns:
        A new tensor. Until backward the graph keeps it.

    Raises:
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.tanh(gb.zeros(1)).item()
    0.0
    """
    return _engine.tanh(input)


def softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: DType | None = None,
    *,
    axis: int | None = None,
) -> Tensor:
    """Scale each slice along `dim` to positive numbers that sum to one.

    Args:
        input: Tensor of any shape and of a floating dtype, unless `dtype` is given.
        dim: Where to sum. Without it the dim is picked as PyTorch picks it, with a warning: 0 for
            tensors of 0, 1 or 3 dims, else 1.
        dtype: What `input` is cast to first.
        axis: NumPy's name of `dim`.

    Returns:
        A new tensor of `input`'s shape. Until backward the graph keeps it.

    Raises:
        ShapeError: `dim` is out of range.
        DTypeError: The dtype is not a floating one.
        TypeError: Both `dim` and `axis`.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.softmax(gb.zeros(1, 4), dim=1).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    return _engine.softmax(input, _dim("softmax", input, dim, axis), dtype=dtype)


def softmin(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: DType | None = None,
    *,
    axis: int | None = None,
) -> Tensor:
    """Compute the softmax of `-input`.

    Args:
        input: Tensor of any shape and of a floating dtype.
        dim: Where to sum; without it one is picked, as for `softmax`.
        dtype: What `-input` is cast to first.
        axis: NumPy's name of `dim`.

    Returns:
        A new tensor of `input`'s shape.

    Raises:
        ShapeError: `dim` is out of range.
        DTypeError: The dtype is not a floating one.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.softmin(gb.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    return softmax(-check.tensor("softmin", "input", input), dim, dtype=dtype, axis=axis)


def log_softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: DType | None = None,
    *,
    axis: int | None = None,
) -> Tensor:
    """Compute the logarithm of `softmax`, without overflow.

    Args:
        input: Tensor of any shape and of a floating dtype, unless `dtype` is given.
        dim: Where to sum; without it one is picked, as for `softmax`.
        dtype: What `input` is cast to first.
        axis: NumPy's name of `dim`.

    Returns:
        A new tensor of `input`'s shape. Until backward the graph keeps it.

    Raises:
        ShapeError: `dim` is out of range.
        DTypeError: The dtype is not a floating one.
        TypeError: Both `dim` and `axis`.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.log_softmax(gb.zeros(2), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return _engine.log_softmax(input, _dim("log_softmax", input, dim, axis), dtype=dtype)


def _dim(op: str, input: Tensor, dim: int | None, axis: int | None) -> int:
    if dim is not None and axis is not None:
        raise TypeError(f"{op}: 'dim' is given twice; 'axis' is another name of it")
    dim = axis if dim is None else dim
    if dim is not None:
        return dim
    picked = 0 if check.tensor(op, "input", input).ndim in (0, 1, 3) else 1
    message = f"{op}: no dim is given and {picked} was picked for {input.ndim} dims; name it"
    warn(message, stacklevel=level_of_caller())
    return picked


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Mark the class that each number names with a 1 among zeros.

    Args:
        tensor: int64 or int32 tensor of any shape; each in [0, num_classes).
        num_classes: How many classes there are; -1 for one more than the largest number.

    Returns:
        A new int64 tensor of `tensor`'s shape with the classes behind it. No gradient passes.

    Raises:
        IndexOutOfRangeError: A number is negative, or no class.
        ShapeError: There are no numbers to tell how many classes there are.
        DTypeError: `tensor` is neither int64 nor int32.

    >>> gb.nn.functional.one_hot(gb.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if check.tensor("one_hot", "tensor", tensor).dtype not in (_engine.int64, _engine.int32):
        raise DTypeError(f"one_hot: dtype {tensor.dtype}; int64 or int32 is needed")
    if tensor.numel() == 0 and num_classes == -1:
        raise ShapeError("one_hot: no elements and no num_classes; one of them is needed")
    numbers = tensor.detach()
    least, largest = (numbers.amin().item(), numbers.amax().item()) if tensor.numel() else (0, -1)
    classes = int(largest) + 1 if num_classes == -1 else num_classes
    if least < 0 or largest >= classes:
        wrong = least if least < 0 else largest
        raise IndexOutOfRangeError(
            f"one_hot: class {wrong} of {classes}; 0 or more, and below that"
        )
    out = _engine.zeros(*tensor.shape, classes, dtype=_engine.int64, device=tensor.device)
    return out.scatter_(-1, numbers.unsqueeze(-1), 1)


all_overridable(globals(), "log_softmax one_hot relu sigmoid softmax softmin tanh")

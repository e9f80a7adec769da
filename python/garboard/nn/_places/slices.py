"""Layers of slices along a dim, and of parameters by channel: PReLU, GLU, distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import ShapeError, Tensor, full
from garboard.nn import functional, init
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["GLU", "CosineSimilarity", "PReLU", "PairwiseDistance", "RReLU", "Softmax2d", "Softmin"]


class PReLU(Module):
    """Multiply what is negative by a learned slope.

    max(x, 0) + weight * min(x, 0), the weight one number or one a channel (He et al.,
    arXiv:1502.01852).

    Args:
        num_parameters: 1, or how many channels there are at dim 1.
        init: The first slope.
        device: Where the parameter lies, the CPU by default.
        dtype: Its dtype, float32 by default.

    Raises:
        ShapeError: When called, another number of channels.
        TypeError: An argument of another type.

    >>> gb.nn.PReLU()(gb.tensor([-1.0, 2.0])).tolist()
    [-0.25, 2.0]
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.num_parameters: int = check.size("PReLU", "num_parameters", num_parameters)
        self.init: float = check.real("PReLU", "init", init)
        made = full((self.num_parameters,), init, dtype=dtype or _engine.float32, device=device)
        self.weight: Parameter = Parameter(made)

    def reset_parameters(self) -> None:
        """Write the first slope everywhere.

        >>> layer = gb.nn.PReLU(2)
        >>> layer.reset_parameters()
        >>> layer.weight.tolist()
        [0.25, 0.25]
        """
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return functional.prelu(input, self.weight)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(num_parameters=self.num_parameters)


class RReLU(Module):
    """Multiply what is negative by a slope that is drawn for each element, while training.

    After `eval()` the slope is the mean of both bounds (Xu et al., arXiv:1505.00853).

    Args:
        lower: The least slope.
        upper: The greatest.
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.RReLU(0.5, 0.5)(gb.tensor([-1.0, 2.0])).tolist()
    [-0.5, 2.0]
    """

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower: float = check.real("RReLU", "lower", lower)
        self.upper: float = check.real("RReLU", "upper", upper)
        self.inplace: bool = check.flag("RReLU", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        written = {"inplace": True} if self.inplace else {}
        return settings(lower=self.lower, upper=self.upper, **written)


class GLU(Module):
    """Multiply the first half along a dim by the sigmoid of the second.

    Args:
        dim: What is halved.

    Raises:
        TypeError: `dim` is no integer.
        ShapeError: When called, an odd size.

    >>> gb.nn.GLU()(gb.tensor([2.0, 0.0]))
    tensor([1.])
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim: int = check.integer("GLU", "dim", dim)

    def forward(self, input: Tensor) -> Tensor:
        return functional.glu(input, self.dim)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(dim=self.dim)


class Softmin(Module):
    """Compute the softmax of the negated input along a dim.

    Args:
        dim: Where to sum.

    Raises:
        TypeError: `dim` is no integer.

    >>> gb.nn.Softmin(dim=0)(gb.zeros(2))
    tensor([0.5000, 0.5000])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim: int | None = check.dim("Softmin", "dim", dim)

    def forward(self, input: Tensor) -> Tensor:
        return functional.softmin(input, self.dim)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(dim=self.dim)


class Softmax2d(Module):
    """Compute the softmax over the channels of [rows, channels, height, width].

    >>> gb.nn.Softmax2d()(gb.zeros(1, 2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        if check.tensor("Softmax2d", "input", input).ndim not in (3, 4):
            raise ShapeError(
                f"Softmax2d: an input of sizes {list(input.shape)}; 3 or 4 dims are needed"
            )
        return functional.softmax(input, -3)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class CosineSimilarity(Module):
    """Compute the cosine of the angle between slices of two tensors.

    Args:
        dim: Along which dim a slice lies.
        eps: The least that is divided by.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.CosineSimilarity()(gb.tensor([[3.0, 4.0]]), gb.tensor([[4.0, 3.0]]))
    tensor([0.9600])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim: int = check.integer("CosineSimilarity", "dim", dim)
        self.eps: float = check.rate("CosineSimilarity", "eps", eps)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return functional.cosine_similarity(x1, x2, self.dim, self.eps)

    if TYPE_CHECKING:

        def __call__(self, x1: Tensor, x2: Tensor) -> Tensor: ...


class PairwiseDistance(Module):
    """Compute the norm of x1 - x2 + eps along the last dim.

    Args:
        p: The power of the norm.
        eps: Keeps the slope finite where both are equal.
        keepdim: Keep the last dim, of size 1.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.PairwiseDistance()(gb.tensor([3.0, 4.0]), gb.zeros(2))
    tensor(5.0000)
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm: float = check.real("PairwiseDistance", "p", p)
        self.eps: float = check.rate("PairwiseDistance", "eps", eps)
        self.keepdim: bool = check.flag("PairwiseDistance", "keepdim", keepdim)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return functional.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)

    if TYPE_CHECKING:

        def __call__(self, x1: Tensor, x2: Tensor) -> Tensor: ...

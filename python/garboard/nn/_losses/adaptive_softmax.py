"""A softmax over very many classes, most of them rare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, ShapeError, Tensor, cat, log_softmax, nonzero
from garboard.nn.containers import ModuleList, Sequential
from garboard.nn.linear import Linear
from garboard.nn.module import Module

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["AdaptiveLogSoftmaxWithLoss", "OutputAndLoss"]


class OutputAndLoss(NamedTuple):
    """What `AdaptiveLogSoftmaxWithLoss` returns."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Compute log probabilities of very many classes, those of rare ones through a narrow layer.

    Classes are numbered by how frequent they are. The first ones, up to `cutoffs[0]`, form the
    head, with a place for each cluster of rarer ones, whose layers are narrower by `div_value` each
    (Grave et al., "Efficient softmax approximation for GPUs", arXiv:1609.04309).

    Called with inputs [rows, in_features] and targets [rows], or one row and one target, it returns
    a named tuple `(output, loss)`: the log probability of each target, and minus their mean.

    Args:
        in_features: Size of the input's last dim.
        n_classes: How many classes there are.
        cutoffs: Where clusters begin: ascending, each from 1 to n_classes - 1.
        div_value: By how much each cluster's layer is narrower than the one before.
        head_bias: Add a learned bias to the head.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ValueError: `cutoffs` that do not ascend, or lie outside.
        ShapeError: A negative size; when called, sizes that do not fit.
        IndexOutOfRangeError: When called, a target that is no class.
        TypeError: A setting of a wrong type.

    >>> layer = gb.nn.AdaptiveLogSoftmaxWithLoss(8, 100, cutoffs=[10, 50])
    >>> output, loss = layer(gb.randn(4, 8), gb.tensor([0, 9, 30, 99]))
    >>> output.shape, loss.shape
    ((4,), ())
    """

    if TYPE_CHECKING:
        head: Linear
        tail: ModuleList

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        name = "AdaptiveLogSoftmaxWithLoss"
        self.in_features: int = check.size(name, "in_features", in_features)
        self.n_classes: int = check.size(name, "n_classes", n_classes)
        if not isinstance(cutoffs, (list, tuple)) or not cutoffs:
            raise ValueError(f"{name}: cutoffs; a list of class numbers is needed")
        starts = [check.integer(name, "cutoffs", one) for one in items_of(cutoffs)]
        is_good = starts == sorted(set(starts)) and starts[0] > 0 and starts[-1] < self.n_classes
        if not is_good:
            raise ValueError(
                f"{name}: cutoffs {starts}; ascending numbers from 1 to {self.n_classes - 1} are "
                "needed"
            )
        if check.worth(name, "div_value", div_value) <= 0:
            raise ValueError(f"{name}: div_value {shown(div_value)}; a positive number is needed")
        self.cutoffs: list[int] = [*starts, self.n_classes]
        self.div_value: float = div_value
        self.head_bias: bool = check.flag(name, "head_bias", head_bias)
        self.shortlist_size: int = starts[0]
        self.n_clusters: int = len(starts)
        self.head_size: int = self.shortlist_size + self.n_clusters
        self.head = Linear(self.in_features, self.head_size, self.head_bias, device, dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            width = int(self.in_features // (self.div_value ** (i + 1)))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(
                    Linear(self.in_features, width, False, device, dtype),
                    Linear(width, size, False, device, dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Draw all parameters anew.

        >>> layer = gb.nn.AdaptiveLogSoftmaxWithLoss(4, 6, cutoffs=[2])
        >>> layer.reset_parameters()
        """
        for module in self.modules():
            if isinstance(module, Linear):
                module.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> OutputAndLoss:
        op = type(self).__name__
        input, target = input_, target_
        check.tensor(op, "input", input)
        check.tensor(op, "target", target)
        if input.ndim not in (1, 2) or target.shape != input.shape[:-1]:
            raise ShapeError(
                f"{op}: input of sizes {input.shape}, target of {target.shape}; [rows, features] "
                "and [rows], or one row and one target, are needed"
            )
        rows, targets = (input, target) if input.ndim == 2 else (input[None], target[None])
        self._check(targets)
        places = targets.clone()  # of the head: of a rare class its cluster's
        parts, found = [], []
        for i in range(self.n_clusters):
            low, high = self.cutoffs[i], self.cutoffs[i + 1]
            is_here = (targets >= low) & (targets < high)
            numbers = nonzero(is_here, as_tuple=True)[0]
            if not len(numbers):
                continue
            places = places.masked_fill(is_here, self.shortlist_size + i)
            inside = log_softmax(self.tail[i](rows.index_select(0, numbers)), 1)
            relative = targets.index_select(0, numbers) - low
            parts.append(inside.gather(1, relative.unsqueeze(1)).squeeze(1))
            found.append(numbers)
        output = log_softmax(self.head(rows), 1).gather(1, places.unsqueeze(1)).squeeze(1)
        if parts:
            output = output.index_add(0, cat(found), cat(parts))
        loss = -output.mean()
        return OutputAndLoss(output if input.ndim == 2 else output.squeeze(0), loss)

    def _check(self, targets: Tensor) -> None:
        if targets.numel() == 0:
            return
        least, largest = targets.amin().item(), targets.amax().item()
        if least < 0 or largest >= self.n_classes:
            raise IndexOutOfRangeError(
                f"{type(self).__name__}: target {least if least < 0 else largest} of "
                f"{self.n_classes} classes; each must be a class"
            )

    if TYPE_CHECKING:

        def __call__(self, input_: Tensor, target_: Tensor) -> OutputAndLoss: ...

    def log_prob(self, input: Tensor) -> Tensor:
        """Compute the log probabilities of all classes.

        Args:
            input: Tensor [rows, in_features].

        Returns:
            A new tensor [rows, n_classes].

        Raises:
            ShapeError: The sizes do not fit.

        >>> layer = gb.nn.AdaptiveLogSoftmaxWithLoss(4, 6, cutoffs=[2])
        >>> total = layer.log_prob(gb.randn(3, 4)).exp().sum(1)
        >>> gb.allclose(total, gb.ones(3))
        True
        """
        head = log_softmax(self.head(input), 1)
        parts = [head[:, : self.shortlist_size]]
        for i in range(self.n_clusters):
            cluster = log_softmax(self.tail[i](input), 1)
            parts.append(cluster + head[:, self.shortlist_size + i].unsqueeze(1))
        return cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """Find the likeliest class of each row.

        Args:
            input: Tensor [rows, in_features].

        Returns:
            A new int64 tensor [rows].

        Raises:
            ShapeError: The sizes do not fit.

        >>> layer = gb.nn.AdaptiveLogSoftmaxWithLoss(4, 6, cutoffs=[2])
        >>> x = gb.randn(3, 4)
        >>> bool((layer.predict(x) == layer.log_prob(x).argmax(1)).all())
        True
        """
        return self.log_prob(input).argmax(1)

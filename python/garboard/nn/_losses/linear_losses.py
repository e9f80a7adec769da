"""The cross entropy of classes whose logits the loss itself makes, of a layer of its own."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from garboard._arguments import check
from garboard._engine import ShapeError, Tensor
from garboard.nn import functional
from garboard.nn._losses._loss import WeightedLoss
from garboard.nn.functional._linear_losses import LinearCrossEntropyOptions
from garboard.nn.linear import Linear

if TYPE_CHECKING:
    from collections.abc import Sequence

    from garboard.types import Device, DType, Reduction

__all__ = ["LinearCrossEntropyLoss", "LinearCrossEntropyOptions"]


class LinearCrossEntropyLoss(WeightedLoss):
    """Compute the cross entropy of the logits of a linear layer, `linear`, which is the loss's own.

    What it computes is told by `nn.functional.linear_cross_entropy`. Called with an input
    [rows, in_features] and a target [rows, *out_features].

    Args:
        in_features: Size of the input's last dim.
        num_classes: How many classes there are.
        out_features: Sizes of the places of a row, each of which has a class.
        bias: Add a learned bias to the logits.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        reduction: "mean", "sum", or "none" for one loss each.
        weight: [num_classes]: how much each counts; kept as a buffer.
        ignore_index: A class that counts for nothing, -100 by default.
        label_smoothing: What part of each target is spread evenly over all classes.
        options: Makes logits by parts of the rows, for less memory.

    Raises:
        ValueError: Another reduction, or an option out of range.
        ShapeError: A negative size, or a weight of other sizes; when called, sizes that do not fit.
        TypeError: A setting of a wrong type.

    >>> loss = gb.nn.LinearCrossEntropyLoss(8, 10)
    >>> loss(gb.randn(4, 8), gb.tensor([0, 3, 5, 9])).shape
    ()
    """

    if TYPE_CHECKING:
        linear: Linear

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: Sequence[int] = (),
        bias: bool = False,
        device: Device | None = None,
        dtype: DType | None = None,
        reduction: Reduction = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        name = "LinearCrossEntropyLoss"
        super().__init__(weight, reduction=reduction)
        self.num_classes: int = check.size(name, "num_classes", num_classes)
        if weight is not None and tuple(weight.shape) != (self.num_classes,):
            raise ShapeError(
                f"{name}: a weight of sizes {list(weight.shape)}; [{self.num_classes}] are needed"
            )
        self.out_features: tuple[int, ...] = check.sizes(name, "out_features", out_features)
        self.ignore_index: int | None = (
            None if ignore_index is None else check.integer(name, "ignore_index", ignore_index)
        )
        self.label_smoothing: float = check.share(name, "label_smoothing", label_smoothing)
        if options is not None:
            check.of_type(LinearCrossEntropyOptions, name, "options", options)
        self.options = options
        rows = prod(self.out_features, start=self.num_classes)
        self.linear = Linear(in_features, rows, bias=bias, device=device, dtype=dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        matrix: Tensor = self.linear.weight
        bias: Tensor | None = self.linear.bias
        sizes = (self.num_classes, *self.out_features)
        if self.out_features:
            matrix = matrix.reshape(*sizes, self.linear.in_features)
            bias = None if bias is None else bias.reshape(sizes)
        return functional.linear_cross_entropy(
            input,
            matrix,
            target,
            linear_bias=bias,
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...

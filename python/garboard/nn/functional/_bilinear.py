"""Products of two inputs with weights, as functions."""

from __future__ import annotations

from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._contexts.autocasting import count_of_blocks, left_alone
from garboard._engine import ShapeError, Tensor, bfloat16, float16, linear

__all__ = ["bilinear"]


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute x1^T A_k x2 + b_k for each output k.

    Args:
        input1: Tensor [..., in1], floating.
        input2: Tensor [..., in2], of the same sizes before the last, and of its dtype.
        weight: [out, in1, in2].
        bias: [out], or None.

    Returns:
        A new tensor [..., out]. Until backward the graph keeps the inputs, the weight, and the
        products of the inputs' elements: in1 * in2 of them a row.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> x1, x2 = gb.tensor([1.0, 2.0]), gb.tensor([3.0, 4.0])
    >>> gb.nn.functional.bilinear(x1, x2, gb.ones(1, 2, 2))  # (1 + 2) * (3 + 4)
    tensor([21.])
    """
    op = "bilinear"
    for name, given in (("input1", input1), ("input2", input2), ("weight", weight)):
        check.tensor(op, name, given)
    sizes = *input1.shape[-1:], *input2.shape[-1:]
    if weight.ndim != 3 or weight.shape[1:] != sizes or input1.shape[:-1] != input2.shape[:-1]:
        raise ShapeError(
            f"{op}: input1 of sizes {input1.shape}, input2 of {input2.shape}, weight of "
            f"{weight.shape}; [..., in1], [..., in2] and [out, in1, in2] are needed"
        )
    parts = [it for it in (input1, input2, weight, bias) if it is not None]
    is_half = input1.dtype in (float16, bfloat16)
    if is_half and all(it.dtype == input1.dtype for it in parts):
        wide = [it.float() for it in parts]  # rounded once, not product by product
        return bilinear(*wide).to(input1.dtype)
    products = input1.unsqueeze(-1) * input2.unsqueeze(-2)
    if not count_of_blocks():
        return linear(products.flatten(-2), weight.flatten(1), bias)
    with left_alone(input1.device.type):  # as PyTorch lists none of it
        return linear(products.flatten(-2), weight.flatten(1), bias)


all_overridable(globals())

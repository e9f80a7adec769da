"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from garboard._arguments import check
from garboard._arguments.given import list_of
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor, cat

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Join the elements of all parameters.

    Args:
        parameters: A list of tensors of one dtype.

    Returns:
        A new tensor of one dim, through which gradients pass.

    Raises:
        TypeError: Something that is no Tensor.
        ShapeError: No parameters.
        DisposedError: A tensor is disposed.

    >>> layer = gb.nn.Linear(3, 2)
    >>> gb.nn.utils.parameters_to_vector(layer.parameters()).shape
    (8,)
    """
    given = list_of(Tensor, "parameters_to_vector", "parameters", parameters, "Tensors")
    return cat([parameter.flatten() for parameter in given])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Write the elements of a vector into all parameters, in their order.

    Args:
        vec: As many elements as the parameters have together, in one dim.
        parameters: A list of tensors; a leaf that requires grad may be among them.

    Raises:
        TypeError: Something that is no Tensor.
        ShapeError: More or fewer elements; nothing is written then.
        DisposedError: A tensor is disposed.

    >>> x, y = gb.zeros(2), gb.zeros(1, 1)
    >>> gb.nn.utils.vector_to_parameters(gb.tensor([1.0, 2.0, 3.0]), [x, y])
    >>> x, y
    (tensor([1., 2.]), tensor([[3.]]))
    """
    op = "vector_to_parameters"
    check.tensor(op, "vec", vec)
    given = list_of(Tensor, op, "parameters", parameters, "Tensors")
    counts = [parameter.numel() for parameter in given]
    if vec.shape != (sum(counts),):
        raise ShapeError(f"{op}: vec has sizes {list(vec.shape)}; [{sum(counts)}] are needed")
    start = 0
    with no_grad():
        for parameter, count in zip(given, counts, strict=True):
            parameter.copy_(vec[start : start + count].reshape(parameter.shape))
            start += count

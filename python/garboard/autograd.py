"""Gradients of functions, and the passes that compute them."""

from collections.abc import Sequence

from garboard import _engine
from garboard._engine import GradientError, Tensor
from garboard._functions import enable_grad, no_grad, set_grad_enabled

__all__ = ["backward", "enable_grad", "grad", "no_grad", "set_grad_enabled"]

_Tensors = Tensor | Sequence[Tensor]


def _listed(given: _Tensors | Sequence[Tensor | None] | None, count: int) -> list[Tensor | None]:
    if given is None:
        return [None] * count
    return [given] if isinstance(given, Tensor) else list(given)


def backward(
    tensors: _Tensors,
    grad_tensors: _Tensors | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> None:
    """Add the gradient of the sum of `tensors` to `.grad` of every leaf behind them.

    Args:
        tensors: What to differentiate; each of one element, unless its gradient is given.
        grad_tensors: The gradients to start from, one a tensor.
        retain_graph: Keep what the graph saved, for another pass; `create_graph` by default.
        create_graph: Record the pass itself.

    Raises:
        GradientError: Nothing was recorded, or an earlier pass freed the graph.
        VersionError: A saved tensor was written in place since.
    """
    outputs = _listed(tensors, 1)
    _engine._backward(
        outputs,
        _listed(grad_tensors, len(outputs)),
        create_graph if retain_graph is None else retain_graph,
        create_graph,
    )


def grad(
    outputs: _Tensors,
    inputs: _Tensors,
    grad_outputs: _Tensors | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of the sum of `outputs` for `inputs`; no `.grad` changes.

    Raises:
        GradientError: As for `backward`, and where an output does not depend on an input, unless
            `allow_unused`, which gives None for it.

    >>> import garboard as gb
    >>> x = gb.tensor(3.0, requires_grad=True)
    >>> gb.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    outputs_list, inputs_list = _listed(outputs, 1), _listed(inputs, 1)
    gradients = _engine._grad(
        outputs_list,
        _listed(grad_outputs, len(outputs_list)),
        inputs_list,
        create_graph if retain_graph is None else retain_graph,
        create_graph,
    )
    if not allow_unused and any(gradient is None for gradient in gradients):
        unused = [i for i, gradient in enumerate(gradients) if gradient is None]
        raise GradientError(
            f"grad: the outputs do not depend on inputs {unused}; give allow_unused=True for None"
        )
    return tuple(gradients)

"""The passes that compute gradients."""

from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from itertools import islice
from typing import Any

from garboard import _engine
from garboard._arguments.classes import class_of
from garboard._arguments.given import items_of, list_of
from garboard._arguments.layouts import is_really
from garboard._arguments.overridable import all_overridable
from garboard._engine import GradientError, ShapeError, Tensor, stack, zeros_like
from garboard.autograd._edges import tensor_of_edge

__all__ = ["backward", "grad", "is_asked_again"]

#: Whether what asks `grad` for gradients is a function that is called again, for another sample.
is_asked_again: ContextVar[bool] = ContextVar("is_asked_again", default=False)

_Tensors = Tensor | Iterable[Tensor]
_Gradients = Tensor | Iterable[Tensor | None]


def _listed(op: str, name: str, given: _Tensors) -> list[Tensor]:
    given = tensor_of_edge(given)
    if is_really(given, Tensor):
        return [given]
    if isinstance(given, (list, tuple)):
        given = [tensor_of_edge(it) for it in items_of(given)]
    return list_of(Tensor, op, name, given, "Tensors")


def _gradients(
    op: str, name: str, given: _Gradients | None, outputs: list[Tensor]
) -> list[Tensor | None]:
    if given is None:
        return [None] * len(outputs)
    if is_really(given, Tensor):
        given = [given]
    elif not isinstance(given, (list, tuple)) and isinstance(given, Iterable):
        given = list(islice(given, len(outputs) + 1))  # it may have no end
    found = list_of((Tensor, type(None)), op, name, given, "Tensors")
    if len(found) != len(outputs):
        raise GradientError(
            f"{op}: {len(outputs)} outputs, and "
            f"{'fewer' if len(found) < len(outputs) else 'more'} {name}; one each is needed"
        )
    return found


def backward(
    tensors: _Tensors,
    grad_tensors: _Gradients | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    inputs: _Tensors | None = None,
) -> None:
    """Add the gradient of the sum of `tensors` to `.grad` of every leaf behind them.

    Args:
        tensors: What to differentiate; each of one element, unless its gradient is given.
        grad_tensors: The gradients to start from, one a tensor, in its sizes and on its device;
            None, for one of them or for all, stands for 1.
        retain_graph: Keep what the graph saved, for another pass; `create_graph` by default. Within
            `vmap` it is kept until the last call.
        create_graph: Record the pass itself.
        inputs: Add to `.grad` of these alone, leaves or not; of all leaves by default.

    Raises:
        GradientError: Nothing was recorded, `inputs` is empty or one of them requires no grad, an
            earlier pass freed the graph, there are no tensors,
            or more or fewer gradients than tensors.
        ShapeError: A gradient has other sizes than its tensor.
        DeviceError: A gradient is on another device than its tensor.
        VersionError: A saved tensor was written in place since.
        DisposedError: A tensor or gradient was disposed.
        TypeError: Something that is no Tensor.

    >>> x = gb.tensor([1.0, 2.0], requires_grad=True)
    >>> gb.autograd.backward([(x * x).sum(), x.sum()])
    >>> x.grad
    tensor([3., 5.])
    """
    outputs = _listed("backward", "tensors", tensors)
    gradients = _gradients("backward", "grad_tensors", grad_tensors, outputs)
    keep = is_asked_again.get() or (create_graph if retain_graph is None else retain_graph)
    alone = None if inputs is None else _listed("backward", "inputs", inputs)
    _engine._backward(outputs, gradients, bool(keep), bool(create_graph), alone)


def grad(
    outputs: _Tensors,
    inputs: _Tensors,
    grad_outputs: _Gradients | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | Any, ...]:
    """Return the gradients of the sum of `outputs` for `inputs`; no `.grad` changes.

    Only what lies between the outputs and the inputs is computed, and freed unless `retain_graph`;
    hooks of other tensors are not called.

    Args:
        outputs: What to differentiate; each of one element, unless its gradient is given.
        inputs: For what: leaves, or tensors that the outputs were computed from. One may be an
            output, or be named twice.
        grad_outputs: The gradients to start from, as in `backward`.
        retain_graph: Keep what the graph saved, for another pass; `create_graph` by default. Within
            `vmap` it is kept until the last call.
        create_graph: Record the pass itself.
        only_inputs: True; `backward` is for all leaves.
        allow_unused: Return None for an input that the outputs do not depend on; by default where
            `materialize_grads` is set, as then it is zeros.
        is_grads_batched: The gradients to start from have one dim more, the first, and so have the
            results: a pass for each of its places.
        materialize_grads: Return zeros instead of None; with `create_graph` they require grad, so
            that all that is returned can be differentiated once more.

    Returns:
        A tuple of new tensors, one an input, in its sizes, or None.

    Raises:
        GradientError: As for `backward`, and where the outputs do not depend on an input, unless
            `allow_unused`. The other errors are those of `backward`.
        NotImplementedError: `only_inputs` is False.
        ValueError: `materialize_grads` with `allow_unused=False`.

    >>> x = gb.tensor(3.0, requires_grad=True)
    >>> gb.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    if not only_inputs:
        raise NotImplementedError(
            "grad: only_inputs=False; call backward(), which adds to .grad of every leaf"
        )
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "grad: materialize_grads=True with allow_unused=False; zeros are for what is unused, "
            "leave allow_unused out"
        )
    keep = is_asked_again.get() or (create_graph if retain_graph is None else retain_graph)
    if is_grads_batched:
        more = create_graph, True, allow_unused or materialize_grads
        columns = _batched(outputs, inputs, grad_outputs, bool(keep), more)
        if not materialize_grads:
            return columns
        return _with_zeros(_listed("grad", "inputs", inputs), columns, create_graph)
    outputs_list = _listed("grad", "outputs", outputs)
    inputs_list = _listed("grad", "inputs", inputs)
    gradients = _engine._grad(
        outputs_list,
        _gradients("grad", "grad_outputs", grad_outputs, outputs_list),
        inputs_list,
        bool(keep),
        bool(create_graph),
    )
    if (cls := class_of(*outputs_list, *inputs_list)) is not Tensor:
        gradients = [it if it is None else Tensor.as_subclass(it, cls) for it in gradients]
    if materialize_grads:
        return _with_zeros(inputs_list, gradients, create_graph)
    if not allow_unused and any(gradient is None for gradient in gradients):
        unused = [i for i, gradient in enumerate(gradients) if gradient is None]
        raise GradientError(
            f"grad: the outputs do not depend on inputs {unused}; give allow_unused=True for None"
        )
    return tuple(gradients)


def _with_zeros(
    inputs: Sequence[Tensor], gradients: Sequence[Tensor | None], recorded: bool
) -> tuple[Tensor, ...]:
    """The gradients, zeros for what is unused: with `recorded`, ones to be differentiated too."""
    return tuple(
        [
            zeros_like(it, requires_grad=bool(recorded)) if gradient is None else gradient
            for it, gradient in zip(inputs, gradients, strict=True)
        ]
    )


def _batched(
    outputs: _Tensors, inputs: _Tensors, starts: _Gradients | None, keep: bool, more: Any
) -> tuple[Tensor | Any, ...]:
    """The gradients of a pass for each row of `starts`, stacked."""
    outputs_list = _listed("grad", "outputs", outputs)
    given = _gradients("grad", "grad_outputs", starts, outputs_list)
    counts = {it.shape[0] if it.ndim else 0 for it in given if it is not None}
    if len(counts) != 1 or 0 in counts:
        raise ShapeError(
            f"grad: is_grads_batched with grad_outputs of first sizes {sorted(counts)}; one size "
            "of 1 or more is needed"
        )
    count = counts.pop()
    rows = [
        grad(
            outputs_list,
            inputs,
            [None if it is None else it[place] for it in given],
            keep or place + 1 < count,
            *more,
        )
        for place in range(count)
    ]
    columns = zip(*rows, strict=True)
    return tuple([None if column[0] is None else stack(column) for column in columns])


all_overridable(globals(), "backward grad")

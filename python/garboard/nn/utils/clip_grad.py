"""Gradients that are kept from growing too large."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from math import inf

from garboard._arguments import check
from garboard._arguments.given import list_of
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import GradientError, Tensor, promote_types, stack, zeros

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

_Tensors = Tensor | Iterable[Tensor]


def _listed(op: str, name: str, given: _Tensors) -> list[Tensor]:
    return [given] if is_really(given, Tensor) else list_of(Tensor, op, name, given, "Tensors")


def _gradients(op: str, parameters: _Tensors) -> list[Tensor]:
    found = (parameter.grad for parameter in _listed(op, "parameters", parameters))
    return [gradient for gradient in found if gradient is not None]


def _norm(x: Tensor, power: float) -> Tensor:
    if power == 2:  # without room for squares
        return x.norm()
    if power == inf:
        return x.abs().amax() if x.numel() else zeros((), dtype=x.dtype, device=x.device)
    if power == 0:
        return (x != 0).sum().to(x.dtype)
    return x.abs().pow_(power).sum().pow_(1 / power)


def get_total_norm(
    tensors: _Tensors,
    norm_type: float | str = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of all elements of some tensors, as if they were one vector.

    Args:
        tensors: A tensor, or a list of them, of floating dtypes.
        norm_type: The power of the norm; `inf`, or "inf", takes the greatest absolute value.
        error_if_nonfinite: Raise where the norm is infinite or NaN.
        foreach: Ignored: it only makes PyTorch faster.

    Returns:
        A tensor without dims; 0 where there are no tensors.

    Raises:
        GradientError: `error_if_nonfinite`, and the norm is infinite or NaN.
        TypeError: Something that is no Tensor, or no number.
        DisposedError: A tensor is disposed.

    >>> gb.nn.utils.get_total_norm([gb.tensor([3.0]), gb.tensor([4.0])])
    tensor(5.)
    """
    op = "get_total_norm"
    return _total_norm(op, _listed(op, "tensors", tensors), norm_type, error_if_nonfinite)


def _total_norm(
    op: str, tensors: list[Tensor], norm_type: float | str, error_if_nonfinite: bool
) -> Tensor:
    given = inf if isinstance(norm_type, str) and norm_type == "inf" else norm_type
    power = check.worth(op, "norm_type", given)
    if not tensors:
        return zeros(())
    with no_grad():
        norms = [_norm(x, power).to(tensors[0].device) for x in tensors]
        dtypes = {it.dtype for it in norms}
        if len(dtypes) > 1:
            wide = reduce(promote_types, dtypes)
            norms = [it.to(wide) for it in norms]
        total = _norm(stack(norms), power) if len(norms) > 1 else norms[0]
    if check.flag(op, "error_if_nonfinite", error_if_nonfinite):
        value = float(total)
        if not -inf < value < inf:
            raise GradientError(
                f"{op}: a norm of {shown(value)}; a finite one is needed, or "
                "error_if_nonfinite=False"
            )
    return total


def clip_grads_with_norm_(
    parameters: _Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients of parameters by max_norm / total_norm where that is below 1.

    Args:
        parameters: A tensor, or a list of them; those without gradient are left alone.
        max_norm: The norm not to exceed.
        total_norm: What `get_total_norm` returned for the gradients.
        foreach: Ignored: it only makes PyTorch faster.

    Raises:
        TypeError: Something that is no Tensor, or no number.
        DisposedError: A tensor is disposed.

    >>> x = gb.tensor([3.0], requires_grad=True)
    >>> x.sum().backward()
    >>> gb.nn.utils.clip_grads_with_norm_([x], 0.5, gb.tensor(1.0))
    >>> x.grad
    tensor([0.5000])
    """
    op = "clip_grads_with_norm_"
    total = check.tensor(op, "total_norm", total_norm)
    _scale(_gradients(op, parameters), check.worth(op, "max_norm", max_norm), total)


def _scale(gradients: list[Tensor], max_norm: float, total: Tensor) -> None:
    with no_grad():
        share = (max_norm / (total + 1e-6)).clamp_(max=1.0)
        for gradient in gradients:
            gradient.mul_(share.to(gradient.device, dtype=gradient.dtype))


def clip_grad_norm_(
    parameters: _Tensors,
    max_norm: float,
    norm_type: float | str = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients of parameters so that their norm, as one vector, is at most `max_norm`.

    They are scaled in place by min(1, max_norm / (norm + 1e-6)). Nothing waits for the device,
    unless `error_if_nonfinite` asks for it.

    Args:
        parameters: A tensor, or a list of them; those without gradient are left alone.
        max_norm: The norm not to exceed.
        norm_type: The power of the norm; `inf`, or "inf", takes the greatest absolute value.
        error_if_nonfinite: Raise where the norm is infinite or NaN, before anything is scaled.
        foreach: Ignored: it only makes PyTorch faster.

    Returns:
        The norm before, a tensor without dims.

    Raises:
        GradientError: `error_if_nonfinite`, and the norm is infinite or NaN.
        TypeError: Something that is no Tensor, or no number.
        DisposedError: A tensor is disposed.

    >>> x = gb.tensor([3.0, 4.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> gb.nn.utils.clip_grad_norm_([x], 5.0)
    tensor(10.)
    >>> x.grad
    tensor([3.0000, 4.0000])
    """
    op = "clip_grad_norm_"
    most = check.worth(op, "max_norm", max_norm)
    gradients = _gradients(op, parameters)
    total = _total_norm(op, gradients, norm_type, error_if_nonfinite)
    _scale(gradients, most, total)
    return total


def clip_grad_value_(parameters: _Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Bring each element of the gradients into [-clip_value, clip_value], in place.

    Args:
        parameters: A tensor, or a list of them; those without gradient are left alone.
        clip_value: The greatest absolute value.
        foreach: Ignored: it only makes PyTorch faster.

    Raises:
        TypeError: Something that is no Tensor, or no number.
        DisposedError: A tensor is disposed.

    >>> x = gb.tensor([3.0, -0.5], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> gb.nn.utils.clip_grad_value_([x], 2.0)
    >>> x.grad
    tensor([ 2., -1.])
    """
    most = check.worth("clip_grad_value_", "clip_value", clip_value)
    with no_grad():
        for gradient in _gradients("clip_grad_value_", parameters):
            gradient.clamp_(-most, most)

"""Modules in another dtype or on another device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from garboard import _engine
from garboard._engine import DTypeError, Tensor
from garboard._grad_mode import no_grad
from garboard._texts import shown
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.nn.module import Module

__all__ = ["convert", "end_parameter"]

_M = TypeVar("_M", bound="Module")


def convert(module: _M, device: Any, dtype: Any) -> _M:
    """Replace the parameters and buffers that are not on `device` or of `dtype`.

    All are converted before any is replaced: where one cannot be, the module stays as it was. One
    that stands in several places is converted once.
    """
    if dtype is None and not isinstance(device, (str, _engine.device)):
        device, dtype = None, device  # to(float64)
    if dtype is not None and not getattr(dtype, "is_floating_point", dtype is float):
        told = dtype if isinstance(dtype, _engine.dtype) else shown(dtype)
        raise DTypeError(f"to: dtype {told}; a floating one is needed, parameters have gradients")
    pairs: dict[int, tuple[Tensor, Tensor]] = {}
    with no_grad():
        for old in module._owned_tensors():
            pairs[id(old)] = old, _converted(old, device, dtype)
    for part in module.modules():
        for name, role in tuple(part._roles.items()):
            pair = pairs.get(id(vars(part)[name]))
            if pair is not None and pair[0] is not pair[1]:
                part._register(name, role, pair[1])
    for old, new in pairs.values():
        if old is not new and isinstance(old, Parameter):
            end_parameter(old)
    return module


def _converted(old: Tensor, device: Any, dtype: Any) -> Tensor:
    to_dtype = dtype if dtype is not None and old.is_floating_point() else old.dtype
    to_device = old.device if device is None else device
    data = old.detach().to(to_device, dtype=to_dtype)
    if data.dtype == old.dtype and data.device == old.device:
        return old
    if not isinstance(old, Parameter):
        return data
    new = Parameter(data, old.requires_grad)
    if old.grad is not None:
        new.grad = old.grad.to(to_device, dtype=to_dtype)
    return new


def end_parameter(parameter: Tensor) -> None:
    """Dispose a parameter and its gradient, unless they have ended."""
    if parameter.is_disposed:
        return
    if parameter.grad is not None:
        parameter.grad.dispose()
        parameter.grad = None
    parameter.dispose()

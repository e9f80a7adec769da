"""Modules in another dtype or on another device."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from garboard import _engine
from garboard._engine import DTypeError, Tensor
from garboard._grad_mode import no_grad
from garboard._texts import shown
from garboard.nn.parameter import Parameter, is_lazy

if TYPE_CHECKING:
    from garboard.nn.module import Module

__all__ = ["convert", "emptied", "end_parameter"]

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
    return _replaced(module, list(module.modules()), lambda old: _converted(old, device, dtype))


def emptied(module: _M, device: Any, recurse: bool) -> _M:
    """Replace them by others of the same sizes and dtypes on `device`, with any elements."""

    def made(old: Tensor) -> Tensor:
        data = _engine.empty_like(old.detach(), device=old.device if device is None else device)
        return Parameter(data, old.requires_grad) if isinstance(old, Parameter) else data

    return _replaced(module, list(module.modules()) if recurse else [module], made)


def _replaced(module: _M, parts: list[Any], make: Callable[[Tensor], Tensor]) -> _M:
    pairs: dict[int, tuple[Tensor, Tensor]] = {}
    with no_grad():
        for part in parts:
            for old in (*part.parameters(recurse=False), *part.buffers(recurse=False)):
                if id(old) not in pairs:
                    pairs[id(old)] = old, make(old)
    for part in parts:
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
    if is_lazy(old):
        waiting: Any = old
        made: Tensor = waiting.converted(to_device, to_dtype)
        return made
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

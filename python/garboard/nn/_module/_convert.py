"""Modules in another dtype or on another device."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from garboard import _engine
from garboard._arguments.layouts import is_really, is_sparse
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DTypeError, Tensor
from garboard.nn.parameter import Parameter, UninitializedBuffer, is_lazy

if TYPE_CHECKING:
    from garboard.nn.module import Module

__all__ = ["applied", "convert", "emptied", "end_parameter"]

_M = TypeVar("_M", bound="Module")


def convert(module: _M, device: Any, dtype: Any, non_blocking: bool = False) -> _M:
    """Bring parameters and buffers that are not there to `device` and to `dtype`.

    All are converted before any changes: where one cannot be, the module stays as it was. One
    that stands in several places is converted once.
    """
    if dtype is None and not isinstance(device, (str, _engine.device)):
        device, dtype = None, device  # to(float64)
    is_dtype = isinstance(dtype, _engine.dtype)
    has_gradients = dtype.is_floating_point or dtype.is_complex if is_dtype else dtype is float
    if dtype is not None and not has_gradients:
        told = dtype if is_dtype else shown(dtype)
        raise DTypeError(f"to: dtype {told}; a floating one is needed, parameters have gradients")
    parts = list(module.modules())
    if any(part._redefines("_apply") for part in parts):  # one that has tensors of its own way
        return module._apply(lambda old: _moved(old, device, dtype, non_blocking))
    return _changed(module, parts, lambda old: _converted(old, device, dtype, non_blocking))


def applied(module: _M, fn: Callable[[Tensor], Tensor]) -> _M:
    """Let `fn` make the elements of the parameters and the buffers that are the module's own."""

    def made(old: Tensor) -> _New | None:
        given = Tensor.detach(old) if _keeps_its_place(old) or is_lazy(old) else old
        data = fn(given)
        if isinstance(old, UninitializedBuffer):
            return _New(old.converted(data.device, data.dtype))
        grad = None if old.grad is None else fn(old.grad)
        is_same = _are_the_same(data, given) and (grad is None or _are_the_same(grad, old.grad))
        return None if is_same else _New(data, grad)

    return _changed(module, [module], made)


def _are_the_same(made: Any, given: Any) -> bool:
    """Tell whether what a function returned is what it was given: another handle may be."""
    if made is given or is_sparse(given) or not is_really(made, Tensor):
        return made is given
    return (
        made.data_ptr() == given.data_ptr()
        and (made.dtype, made.device, made.shape) == (given.dtype, given.device, given.shape)
        and made.stride() == given.stride()
    )


def emptied(module: _M, device: Any, recurse: bool) -> _M:
    """Give them others of the same sizes and dtypes on `device`, with any elements."""

    def made(old: Tensor) -> _New:
        if is_sparse(old):  # places are no elements
            copied: Any = old.clone().to(old.device if device is None else device)
            return _New(copied)
        to_device = old.device if device is None else device
        if isinstance(old, UninitializedBuffer):
            return _New(old.converted(to_device, old.dtype))
        return _New(_engine.empty_like(Tensor.detach(old), device=to_device))

    parts = list(module.modules()) if recurse else [module]
    if any(part._redefines("_apply") for part in parts):  # one that has tensors of its own way
        for old in module.parameters(recurse):
            old.grad = None
        only = {} if recurse else {"recurse": False}  # an older override knows no `recurse`
        return module._apply(lambda old: made(old).data, **only)
    return _changed(module, parts, made)


class _New(NamedTuple):
    """What becomes of a parameter or buffer: the elements, and the gradient beside them."""

    data: Tensor
    grad: Tensor | None = None


def _changed(module: _M, parts: list[Any], make: Callable[[Tensor], _New | None]) -> _M:
    pairs: dict[int, tuple[Tensor, _New]] = {}
    with no_grad():
        for part in parts:
            for old in (*part.parameters(recurse=False), *part.buffers(recurse=False)):
                if id(old) not in pairs and (new := make(old)) is not None:
                    pairs[id(old)] = old, new
    for part in parts:
        for name, role in tuple(part._roles.items()):
            pair = pairs.get(id(vars(part)[name]))
            if pair is not None and not _keeps_its_place(pair[0]):
                part._register(name, role, pair[1].data)
    for old, new in pairs.values():
        if _keeps_its_place(old):
            old.grad = None
            old.data = new.data
            old.grad = new.grad
        elif isinstance(old, Parameter):
            end_parameter(old)
    return module


def _keeps_its_place(old: Tensor) -> bool:
    """Tell whether an optimizer may know it: it takes over the elements. Buffers are replaced."""
    return isinstance(old, Parameter)


def _converted(old: Tensor, device: Any, dtype: Any, non_blocking: bool) -> _New | None:
    """Return what becomes of it, or None where it is so already."""
    data = _moved(old, device, dtype, non_blocking)
    if data is old or (data.dtype == old.dtype and data.device == old.device):
        return None
    return _New(data, None if old.grad is None else _moved(old.grad, device, dtype, non_blocking))


def _moved(old: Tensor, device: Any, dtype: Any, non_blocking: bool) -> Tensor:
    to_dtype = old.dtype
    if dtype is not None and old.is_floating_point():
        to_dtype = dtype
    elif isinstance(dtype, _engine.dtype) and old.is_complex():
        to_dtype = dtype.to_complex()  # what is complex stays so
    to_device = old.device if device is None else device
    if isinstance(old, UninitializedBuffer):
        return old.converted(to_device, to_dtype)
    return old.to(to_device, dtype=to_dtype, non_blocking=non_blocking)


def end_parameter(parameter: Tensor) -> None:
    """Dispose a parameter and its gradient, unless they have ended."""
    if parameter.is_disposed:
        return
    if parameter.grad is not None:
        parameter.grad.dispose()
        parameter.grad = None
    parameter.dispose()

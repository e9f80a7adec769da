"""Parameters and buffers of a module put in the place of others, by name."""

from __future__ import annotations

from typing import Any

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard.nn.module import Module

__all__ = ["set_tensor", "swap_tensor"]

_NOTHING = object()


def _tables(module: Module) -> tuple[Any, Any, Any]:
    return module._parameters, module._buffers, vars(module)


def _checked(op: str, module: Module, name: str) -> str:
    check.of_type(Module, op, "module", module)
    named: str = check.text(op, "name", name)
    if "." in named or not named:
        raise KeyError(f"{op}: name {shown(named)}; the name of a tensor of the module is needed")
    return named


def set_tensor(module: Module, name: str, tensor: Tensor) -> None:
    """Put a tensor in the place of a parameter, a buffer or an attribute of a module.

    Unlike an assignment it need be no Parameter.

    Args:
        module: The module.
        name: One of its own, without dots.
        tensor: The tensor, of any sizes.

    Raises:
        KeyError: `name` has dots, or is empty.
        TypeError: `tensor` is no Tensor, or `module` no Module.

    >>> from garboard.nn.utils._named_member_accessor import set_tensor
    >>> layer = gb.nn.Linear(2, 1, bias=False)
    >>> set_tensor(layer, "weight", gb.ones(1, 2))
    >>> layer(gb.ones(1, 2))
    tensor([[2.]])
    """
    swap_tensor(module, name, check.tensor("set_tensor", "tensor", tensor), allow_missing=True)


def swap_tensor(
    module: Module, name: str, tensor: Tensor | None, allow_missing: bool = False
) -> Any:
    """Put a tensor in the place of one of a module, and return the other.

    Args:
        module: The module.
        name: Of a parameter, a buffer or an attribute of its own, without dots.
        tensor: The tensor, which need be no Parameter; None takes the other out.
        allow_missing: Take a name that the module has not.

    Returns:
        What stood there; None of a name that the module has not.

    Raises:
        KeyError: `name` has dots, or is empty.
        AttributeError: The module has no tensor of that name.
        TypeError: `tensor` is no Tensor, or `module` no Module.

    >>> from garboard.nn.utils._named_member_accessor import swap_tensor
    >>> layer = gb.nn.Linear(2, 1, bias=False)
    >>> weight = swap_tensor(layer, "weight", gb.ones(1, 2))
    >>> swap_tensor(layer, "weight", weight)
    tensor([[1., 1.]])
    """
    op = "swap_tensor"
    named = _checked(op, module, name)
    may_miss = check.flag(op, "allow_missing", allow_missing)
    if tensor is not None:
        check.tensor(op, "tensor", tensor)
    parameters, buffers, attributes = _tables(module)
    for table in (parameters, buffers):
        if named in table:
            found = table[named]
            if tensor is None:
                del table[named]
            else:
                table[named] = tensor
            return found
    found = getattr(module, named, _NOTHING)
    if found is _NOTHING and not may_miss:
        raise AttributeError(
            f"{op}: {type(module).__name__} has no {shown(named)}; a tensor of its own is needed"
        )
    if tensor is None:
        attributes.pop(named, None)
    else:
        attributes[named] = tensor
    return None if found is _NOTHING else found

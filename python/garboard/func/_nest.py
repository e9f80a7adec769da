"""Nests of lists, tuples, dicts and registered classes, taken apart and put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garboard._arguments.errors import ResultError
from garboard._arguments.layouts import is_really
from garboard._arguments.pytree import SUPPORTED_NODES, NodeDef
from garboard._engine import Tensor

__all__ = ["leaves_of", "mapped", "rebuilt", "returned"]

_DEEPEST = 64
_PLAIN = (list, tuple, dict)


def _registered(nest: Any) -> NodeDef | None:
    """How a container is taken apart that is no list, tuple or dict as such."""
    kind = type(nest)
    return None if kind in _PLAIN else SUPPORTED_NODES.get(kind)


def leaves_of(nest: Any, depth: int = 0) -> list[Any]:
    """What a nest holds, in its order; what is no container is a leaf."""
    if depth > _DEEPEST:
        raise ValueError(f"func: a nest of more than {_DEEPEST} levels; fewer are needed")
    if is_really(nest, Tensor):
        return [nest]
    node = _registered(nest)
    if node is not None:
        return [leaf for part in node.flatten_fn(nest)[0] for leaf in leaves_of(part, depth + 1)]
    if isinstance(nest, dict):
        return [leaf for part in nest.values() for leaf in leaves_of(part, depth + 1)]
    if isinstance(nest, (list, tuple)):
        return [leaf for part in nest for leaf in leaves_of(part, depth + 1)]
    return [nest]


def rebuilt(nest: Any, leaves: list[Any]) -> Any:
    """The same nest with other leaves, which are taken from the front of the list."""
    node = None if is_really(nest, Tensor) else _registered(nest)
    if node is not None:
        parts, context = node.flatten_fn(nest)
        return node.unflatten_fn([rebuilt(part, leaves) for part in parts], context)
    if isinstance(nest, dict):
        return {key: rebuilt(part, leaves) for key, part in nest.items()}
    if isinstance(nest, (list, tuple)):
        parts = [rebuilt(part, leaves) for part in nest]
        if hasattr(nest, "_fields"):
            return type(nest)(*parts)
        return parts if isinstance(nest, list) else tuple(parts)
    return leaves.pop(0)


def mapped(function: Callable[[Tensor], Any], nest: Any) -> Any:
    """A nest whose tensors are what `function` makes of them; other leaves stay."""
    return rebuilt(nest, [function(it) if is_really(it, Tensor) else it for it in leaves_of(nest)])


def returned(op: str, nest: Any, begin: int = 0) -> list[Tensor]:
    """What a function returned, all of it tensors from a place on."""
    leaves = leaves_of(nest)
    for place, it in enumerate(leaves[begin:], begin):
        if not is_really(it, Tensor):
            raise ResultError(
                f"{op}: item {place} of what the function returned is of type "
                f"{type(it).__name__}; a list of Tensors is needed"
            )
    return leaves

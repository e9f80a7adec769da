"""Classes of one's own in nests: those of fields, and those that are one value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.pytree import GetAttrKey, register_pytree_node

__all__ = ["CONSTANT_NODES", "is_constant_class", "register_constant", "register_dataclass"]

# Classes whose objects have no leaves.
CONSTANT_NODES: set[type] = set()


def register_dataclass(
    cls: type,
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Have the fields of a dataclass be parts of a nest; those that are None are none.

    Args:
        cls: The class, which is made of its fields by name.
        field_names: The fields that are parts: all that it is made of, by default.
        drop_field_names: Those of a dataclass that are not; it has defaults for them.
        serialized_type_name: Without effect.

    Raises:
        ValueError: The class is known, or no dataclass and told no fields; or others than it has.
        TypeError: It is no class.

    >>> from dataclasses import dataclass
    >>> from garboard.utils import _pytree as pytree
    >>> @dataclass
    ... class Point:
    ...     x: int
    ...     y: int
    >>> pytree.register_dataclass(Point)
    >>> pytree.tree_map(lambda it: it + 1, Point(0, 1))
    Point(x=1, y=2)
    """
    op = "register_dataclass"
    check.of_type(type, op, "cls", cls)
    names = _fields(op, cls, field_names, drop_field_names or [])

    def flatten(it: Any) -> tuple[list[Any], Any]:
        values = {name: getattr(it, name) for name in names}
        there = [name for name, value in values.items() if value is not None]
        absent = [name for name, value in values.items() if value is None]
        return [values[name] for name in there], [there, absent]

    def flatten_with_keys(it: Any) -> tuple[list[Any], Any]:
        parts, context = flatten(it)
        return [(GetAttrKey(name), it) for name, it in zip(context[0], parts, strict=True)], context

    def unflatten(parts: Iterable[Any], context: Any) -> Any:
        there, absent = context
        return cls(**dict(zip(there, parts, strict=True)), **dict.fromkeys(absent))

    register_pytree_node(cls, flatten, unflatten, flatten_with_keys_fn=flatten_with_keys)


def _fields(op: str, cls: type, given: list[str] | None, dropped: list[str]) -> list[str]:
    if not is_dataclass(cls):
        if given is None:
            raise ArgumentError(f"{op}: {cls.__name__} is no dataclass; field_names is needed")
        return list(given)
    wanted = [it.name for it in fields(cls) if it.init and it.name not in dropped]
    if given is not None and set(given) != set(wanted):
        raise ArgumentError(
            f"{op}: field_names {sorted(given)} of {cls.__name__}, which is made of "
            f"{sorted(wanted)}; these are needed, but for what drop_field_names tells"
        )
    return wanted if given is None else list(given)


def register_constant(cls: type) -> None:
    """Have the objects of a class be values without leaves.

    Args:
        cls: The class, whose objects are compared and hashed by what they are.

    Raises:
        TypeError: It has no `__eq__` or no `__hash__` of its own, or is no class.
        ValueError: The class is known.

    >>> from dataclasses import dataclass
    >>> from garboard.utils import _pytree as pytree
    >>> @dataclass(frozen=True)
    ... class Config:
    ...     norm: str
    >>> pytree.register_constant(Config)
    >>> pytree.tree_leaves([Config("l2"), 1])
    [1]
    """
    op = "register_constant"
    check.of_type(type, op, "cls", cls)
    for name in ("__eq__", "__hash__"):
        if getattr(cls, name) in (None, getattr(object, name)):
            raise TypeError(f"{op}: {cls.__name__} has no {name}; one of its own is needed")
    register_pytree_node(cls, lambda it: ([], it), lambda parts, it: it)
    CONSTANT_NODES.add(cls)


def is_constant_class(cls: type) -> bool:
    """Tell whether the objects of a class are values without leaves.

    Args:
        cls: The class.

    Returns:
        A bool.

    >>> from garboard.utils._pytree import is_constant_class
    >>> is_constant_class(list)
    False
    """
    return cls in CONSTANT_NODES

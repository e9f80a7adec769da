"""Lists and dicts that a node holds: they refuse to be written, as nodes know who uses them."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["immutable_dict", "immutable_list"]


def _refusing(name: str) -> Any:
    def refuse(self: object, *given: object, **named: object) -> NoReturn:
        raise NotImplementedError(
            f"{name}: what a node holds is not written in place; assign to node.args or "
            "node.kwargs, or call node.update_arg"
        )

    refuse.__name__ = name.rpartition(".")[2]
    return refuse


class immutable_list(list[Any]):
    """A list that cannot be changed, and can be hashed where its elements can.

    Args:
        given: The elements.

    Raises:
        NotImplementedError: By all methods that would write.

    >>> from garboard.fx.immutable_collections import immutable_list
    >>> immutable_list([1, 2])
    [1, 2]
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)


class immutable_dict(dict[Any, Any]):
    """A dict that cannot be changed, and can be hashed where its values can.

    Args:
        given: The items.

    Raises:
        NotImplementedError: By all methods that would write.

    >>> from garboard.fx.immutable_collections import immutable_dict
    >>> immutable_dict(a=1)
    {'a': 1}
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return type(self), (tuple(self.items()),)


for _name in (
    *("__delitem__", "__iadd__", "__imul__", "__setitem__", "append", "clear", "extend"),
    *("insert", "pop", "remove", "reverse", "sort"),
):
    setattr(immutable_list, _name, _refusing(f"immutable_list.{_name}"))
for _name in ("__delitem__", "__ior__", "__setitem__", "clear", "pop", "popitem", "setdefault"):
    setattr(immutable_dict, _name, _refusing(f"immutable_dict.{_name}"))
immutable_dict.update = _refusing("immutable_dict.update")  # type: ignore[method-assign]

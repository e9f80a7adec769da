"""Modules and parameters held by name or by place, so that they are found; calling is up to you.

What holds parameters takes other things, too: a module is registered, as one more list of
parameters is, and what is neither is an attribute.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Self

from garboard._arguments import check
from garboard._arguments.given import items_of, keys_of, list_of
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, Tensor
from garboard.nn._module._registered import kept_handle
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

__all__ = ["ModuleDict", "ParameterDict", "ParameterList"]


class _Keyed(Module):
    """Members by name, in the order in which they came."""

    _role = "module"

    def _names(self) -> list[str]:
        return [name for name, role in self._roles.items() if role == self._role]

    def _member(self, key: str) -> Any:
        if key not in self:
            raise KeyError(
                f"{type(self).__name__}: no {self._role} {shown(key)}; there are "
                f"[{', '.join(map(shown, self._names()[:20]))}]"
            )
        return vars(self)[key]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._roles.get(key) == self._role

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __delitem__(self, key: str) -> None:
        self._member(key)
        delattr(self, key)

    def keys(self) -> KeysView[str]:
        """Return the names, in order.

        >>> list(gb.nn.ModuleDict({"a": gb.nn.ReLU()}).keys())
        ['a']
        """
        return dict.fromkeys(self._names()).keys()

    def clear(self) -> None:
        """Forget all members.

        >>> held = gb.nn.ModuleDict({"a": gb.nn.ReLU()})
        >>> held.clear()
        >>> len(held)
        0
        """
        for name in self._names():
            delattr(self, name)

    def _pairs(self, given: Any) -> list[tuple[str, Any]]:
        """What a dict or a list of pairs gives."""
        op = f"{type(self).__name__}.update"
        if isinstance(given, _Keyed):
            return [(name, given._member(name)) for name in given._names()]
        if isinstance(given, Mapping):
            return [(name, given[name]) for name in keys_of(str, op, "what", given, "members")]
        pairs: list[Any] = list_of((tuple, list), op, "what", given, "pairs, or a dict,")
        for place, pair in enumerate(pairs):
            if len(pair) != 2:
                raise ValueError(f"{op}: item {place} has {len(pair)} parts; a pair is needed")
        return [(check.text(op, "a name", items_of(pair)[0]), items_of(pair)[1]) for pair in pairs]


class ModuleDict(_Keyed):
    """Hold modules by name.

    Args:
        modules: A dict of them, or a list of pairs.

    Raises:
        TypeError: Something that is no Module, or a name that is no string.
        ValueError: A name with a dot, or one that is an attribute already.

    >>> heads = gb.nn.ModuleDict({"a": gb.nn.Linear(2, 1), "b": gb.nn.ReLU()})
    >>> heads["b"], list(heads), len(list(heads.parameters()))
    (ReLU(), ['a', 'b'], 2)
    """

    def __init__(
        self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None
    ) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        found: Module = self._member(key)
        return found

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules, or replace those of the same names.

        Args:
            modules: A dict of them, or a list of pairs.

        Raises:
            TypeError: Something that is no Module.

        >>> heads = gb.nn.ModuleDict()
        >>> heads.update([("a", gb.nn.ReLU())])
        >>> list(heads)
        ['a']
        """
        for name, module in self._pairs(modules):
            self[name] = module

    def pop(self, key: str) -> Module:
        """Remove a module and return it.

        Args:
            key: Its name.

        Returns:
            The module.

        Raises:
            KeyError: There is none of that name.

        >>> gb.nn.ModuleDict({"a": gb.nn.ReLU()}).pop("a")
        ReLU()
        """
        found = self[key]
        del self[key]
        return found

    def items(self) -> ItemsView[str, Module]:
        """Return pairs of names and modules, in order.

        >>> [name for name, _ in gb.nn.ModuleDict({"a": gb.nn.ReLU()}).items()]
        ['a']
        """
        return {name: self[name] for name in self._names()}.items()

    def values(self) -> ValuesView[Module]:
        """Return the modules, in order.

        >>> len(gb.nn.ModuleDict({"a": gb.nn.ReLU()}).values())
        1
        """
        return {name: self[name] for name in self._names()}.values()


def _put(into: Module, name: str, given: Any, is_new: bool) -> None:
    """Make `given` the attribute `name`; a tensor becomes a parameter."""
    free = into._free_name(type(into).__name__, name, "parameter") if is_new else name
    given = kept_handle(into, free, given)
    is_plain = is_really(given, Tensor) and not isinstance(given, Parameter)
    setattr(into, free, Parameter(given) if is_plain else given)


def _shown(it: Any, says_dtype: bool) -> str:
    if not is_really(it, Tensor):
        return f"Object of type: {type(it).__name__}"
    kind = it.dtype if says_dtype else it.type()
    return f"Parameter containing: [{kind} of size {'x'.join(map(str, it.shape))}]"


def _listed(pairs: Iterable[tuple[object, Any]], *, says_dtype: bool) -> str:
    """What PyTorch shows: of a list the dtypes, of a dict the older names of types."""
    return "\n".join(f"  ({name}): {_shown(it, says_dtype)}" for name, it in pairs)


class ParameterDict(_Keyed):
    """Hold parameters by name; a plain tensor becomes a parameter, other things stay as they are.

    Args:
        parameters: A dict of them, or a list of pairs.

    Raises:
        TypeError: A name that is no string.
        ValueError: A name with a dot, or one that is an attribute already.

    >>> held = gb.nn.ParameterDict({"scale": gb.ones(2)})
    >>> held["scale"].requires_grad, list(held.keys())
    (True, ['scale'])
    """

    _role = "parameter"

    def __init__(
        self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None
    ) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _names(self) -> list[str]:
        return [name for name in self._keys if hasattr(self, name)]  # `del held.a` is possible

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self._keys and hasattr(self, key)

    def __getitem__(self, key: str) -> Any:
        return self._member(key)

    def __setitem__(self, key: str, parameter: Any) -> None:
        _put(self, key, parameter, is_new=key not in self)
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        del self._keys[key]

    def update(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        """Add parameters, or replace those of the same names.

        Args:
            parameters: A dict of them, added by the order of their names, an OrderedDict by its
                own, or a list of pairs.

        Raises:
            TypeError: A name that is no string.

        >>> held = gb.nn.ParameterDict()
        >>> held.update({"a": gb.ones(1)})
        >>> len(held)
        1
        """
        pairs = self._pairs(parameters)
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict | _Keyed):
            pairs.sort(key=lambda pair: pair[0])  # as in PyTorch, since dicts had no order
        for name, parameter in pairs:
            self[name] = parameter

    def clear(self) -> None:
        """Forget all parameters.

        >>> held = gb.nn.ParameterDict({"a": gb.ones(1)})
        >>> held.clear()
        >>> len(held)
        0
        """
        super().clear()
        self._keys.clear()

    def pop(self, key: str) -> Any:
        """Remove a parameter and return it.

        Args:
            key: Its name.

        Returns:
            The parameter.

        Raises:
            KeyError: There is none of that name.

        >>> gb.nn.ParameterDict({"a": gb.ones(1)}).pop("a").shape
        (1,)
        """
        found = self[key]
        del self[key]
        return found

    def get(self, key: str, default: Any = None) -> Any:
        """Return a parameter, or `default` where there is none.

        Args:
            key: Its name.
            default: What stands in.

        Returns:
            The parameter, or `default`.

        >>> print(gb.nn.ParameterDict().get("a"))
        None
        """
        return getattr(self, key) if key in self else default

    def popitem(self) -> tuple[str, Any]:
        """Remove the last parameter and return it with its name.

        Returns:
            A pair.

        Raises:
            KeyError: There is none.

        >>> gb.nn.ParameterDict({"a": gb.ones(1)}).popitem()[0]
        'a'
        """
        if not len(self):
            raise KeyError("ParameterDict.popitem: there are no parameters; one is needed")
        name = self._names()[-1]
        return name, self.pop(name)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return a parameter, after adding `default` where there is none.

        Args:
            key: Its name.
            default: What is added.

        Returns:
            The parameter.

        >>> gb.nn.ParameterDict().setdefault("a", gb.ones(1)).requires_grad
        True
        """
        if key not in self:
            self[key] = default
        return self[key]

    def copy(self) -> Self:
        """Return another dict of the same parameters.

        >>> held = gb.nn.ParameterDict({"a": gb.ones(1)})
        >>> held.copy()["a"] is held["a"]
        True
        """
        return type(self)(self.items())

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> Self:
        """Return a new dict that has one value under several names.

        Args:
            keys: The names.
            default: The value: a parameter, a tensor that becomes one, or something else.

        Returns:
            The new dict.

        Raises:
            TypeError: A name is no string.

        >>> list(gb.nn.ParameterDict().fromkeys(["a", "b"], gb.ones(1)))
        ['a', 'b']
        """
        made, value = type(self)(), default
        for name in list_of(str, "ParameterDict.fromkeys", "keys", keys, "names"):
            made[name] = value
            value = made[name]  # one parameter for all
        return made

    def __or__(self, other: Mapping[str, Any] | ParameterDict) -> Self:
        made = self.copy()
        made |= other
        return made

    def __ior__(self, other: Mapping[str, Any] | ParameterDict) -> Self:
        if not isinstance(other, (Mapping, ParameterDict)):
            raise TypeError(
                f"ParameterDict: what to join is of type {type(other).__name__}; a dict of tensors "
                "is needed"
            )
        self.update(other.items())
        return self

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._names())

    def items(self) -> ItemsView[str, Any]:
        """Return pairs of names and parameters, in order.

        >>> [name for name, _ in gb.nn.ParameterDict({"a": gb.ones(1)}).items()]
        ['a']
        """
        return {name: self[name] for name in self._names()}.items()

    def values(self) -> ValuesView[Any]:
        """Return the parameters, in order.

        >>> len(gb.nn.ParameterDict({"a": gb.ones(1)}).values())
        1
        """
        return {name: self[name] for name in self._names()}.values()

    def extra_repr(self) -> str:
        return _listed(self.items(), says_dtype=False)


class ParameterList(Module):
    """Hold parameters in a list; a plain tensor becomes a parameter, other things stay as they are.

    Args:
        values: The first of them.

    Raises:
        TypeError: `values` is no list.

    >>> held = gb.nn.ParameterList([gb.ones(1), gb.zeros(2)])
    >>> len(held), held[-1].shape
    (2, (2,))
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _place(self, index: int) -> str:
        count = len(self)
        place = check.integer("ParameterList", "index", index)
        if not -count <= place < count:
            raise IndexOutOfRangeError(
                f"ParameterList: index {shown(place)} of {count} parameters; one in [{-count}, "
                f"{count}) is needed"
            )
        return str(place % count)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, str(place)) for place in range(self._size)])

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, self._place(index))

    def __setitem__(self, index: int, parameter: Any) -> None:
        _put(self, self._place(index), parameter, is_new=False)

    def append(self, value: Any) -> Self:
        """Add a parameter at the end.

        Args:
            value: A parameter, a tensor that becomes one, or something else.

        Returns:
            The list.

        >>> len(gb.nn.ParameterList().append(gb.ones(1)))
        1
        """
        _put(self, str(self._size), value, is_new=True)
        self._size += 1
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add parameters at the end.

        Args:
            values: A list of them.

        Returns:
            The list.

        Raises:
            TypeError: It is a tensor, or no list.

        >>> len(gb.nn.ParameterList().extend([gb.ones(1), gb.ones(1)]))
        2
        """
        if is_really(values, Tensor):
            raise TypeError(
                "ParameterList.extend: values is of type Tensor; a list of Tensors is needed"
            )
        given = list(values) if isinstance(values, ParameterList) else values
        for value in list_of(object, "ParameterList.extend", "values", given, "Tensors"):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def extra_repr(self) -> str:
        return _listed(enumerate(self), says_dtype=True)

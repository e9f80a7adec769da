"""What is registered on a module, by name: the dicts that PyTorch's users know as private ones.

Programs put there what they may not assign: a function among modules, a tensor with a history among
parameters.
"""

from __future__ import annotations

from collections.abc import (
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    MutableMapping,
    MutableSet,
    ValuesView,
)
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import proxy

from garboard._arguments.layouts import is_really, is_sparse
from garboard._arguments.texts import shown
from garboard._engine import Tensor

if TYPE_CHECKING:
    from garboard.nn._module._tree import Tree

__all__ = [
    "BUFFERS",
    "KINDS",
    "GivenRoles",
    "Registered",
    "TransientNames",
    "is_kin",
    "is_registered_by_override",
    "kept_handle",
    "lend_views",
    "take_state",
]

_S = TypeVar("_S")

BUFFERS = ("buffer", "transient buffer")

# Of each of PyTorch's dicts: the roles of what it holds.
KINDS = {"_parameters": ("parameter",), "_buffers": BUFFERS, "_modules": ("module",)}


def is_kin(role: str, value: object, by_hand: bool) -> bool:
    """Tell whether a value of no class that the role is for may have it, put into a dict or not."""
    if role in BUFFERS:
        return is_sparse(value)
    if role == "parameter":  # or what a program's class holds the place with, until it is called
        return by_hand and (is_really(value, Tensor) or _is_placeholder(value))
    return by_hand and callable(value)


def _is_placeholder(value: object) -> bool:
    return type(value).__module__ != "builtins" and not hasattr(type(value), "_owned_tensors")


def kept_handle(module: object, name: str, value: Any) -> Any:
    """Return what a module has as `name` where `value` is another handle on it, else `value`.

    `gb.Tensor.to` gives such a handle where nothing changes, and PyTorch's programs assign what a
    function gives to where the parameter stood.
    """
    there = vars(module).get(name)
    if not (is_really(there, Tensor) and is_really(value, Tensor)) or there.is_disposed:
        return value
    return there if there._cdata == value._cdata else value


def is_registered_by_override(
    module: Tree, name: str, role: str, value: object, plain: type[Tree]
) -> bool:
    """Tell whether a class, or a block around, registers by a function of its own; it is called.

    Programs put one in the place of `Module.register_parameter` to see each parameter that a model
    makes. What had the name otherwise makes way, as for any assignment.

    Args:
        module: Where a value is assigned.
        name: The attribute.
        role: What the value is registered as.
        value: The value.
        plain: The class whose functions are no others.
    """
    kind = type(module)
    if role == "parameter":
        is_plain = kind.register_parameter is plain.register_parameter
    else:
        is_plain = role == "module" or kind.register_buffer is plain.register_buffer
    known = vars(module).get("_roles")
    if is_plain or known is None or not (value is None or is_really(value, Tensor)):
        return False
    before = known.get(name, "")
    if (before in BUFFERS) if role in BUFFERS else before == role:
        pass  # it keeps its place
    elif name in vars(module):
        object.__delattr__(module, name)
        known.pop(name, None)
    if role == "parameter":
        kind.register_parameter(module, name, value)  # type: ignore[arg-type]
    elif role == "buffer":
        kind.register_buffer(module, name, value)  # an older override knows no `persistent`
    else:
        kind.register_buffer(module, name, value, persistent=False)
    return True


def lend_views(module: Tree) -> None:
    """Put into a module's `__dict__` what programs that read it look for: the three views.

    They know the module weakly, or none would end before the cycle collector comes.
    """
    weak = proxy(module)
    for name, roles in KINDS.items():
        vars(module)[name] = Registered(weak, roles)


class GivenRoles:
    """What hears that a program gives a module the table of another's roles.

    Programs that assign all that is in another's `__dict__` do so, where PyTorch's modules have
    three dicts that they leave out or copy. Reading costs nothing: it finds the `__dict__`.
    """

    def __set__(self, module: Tree, given: Mapping[str, str]) -> None:
        """Let a module know a copy; parameters register themselves where they are assigned."""
        own = vars(module)
        if "_roles" not in own:
            own["_roles"] = dict(given)
            return
        for name, role in given.items():
            if role != "parameter":
                own["_roles"].setdefault(name, role)


def take_state(module: Tree, state: dict[str, Any]) -> None:
    """Have a module be what a state says, where a class may have changed the three dicts in it.

    Args:
        module: A new one.
        state: Its `__dict__`; what a dict in it lacks, or has besides, is no longer, or newly,
            registered.
    """
    said = {name: it for name, it in state.items() if name in KINDS and isinstance(it, dict)}
    own = vars(module)
    own.update({name: it for name, it in state.items() if name not in KINDS})
    lend_views(module)
    for kind, wanted in said.items():
        view = own[kind]
        for name in [it for it in view if it not in wanted]:
            del view[name]
        view.update({name: it for name, it in wanted.items() if own.get(name) is not it})


class Registered(MutableMapping[str, Any]):
    """A module's submodules, parameters or buffers: a view, and writing to it registers.

    Args:
        module: Whose.
        roles: What they are registered as, the first of them what is new.
    """

    __slots__ = ("_module", "_roles")

    def __new__(cls, module: Any = (), roles: tuple[str, ...] | None = None) -> Any:
        """Make a view; or a dict, as programs do that make a mapping of each mapping's class."""
        return dict(module) if roles is None else super().__new__(cls)

    def __init__(self, module: Tree, roles: tuple[str, ...]) -> None:
        self._module, self._roles = module, roles

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        return vars(self._module)[name]

    def __setitem__(self, name: str, value: Any) -> None:
        known = self._module._roles.get(name)
        role = known if known in self._roles else self._roles[0]
        self._module._register(name, role, value, by_hand=True)

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        vars(self._module).pop(name, None)  # a subclass's own deletion may have been here
        self._module._roles.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._module._roles.get(name) in self._roles

    def __iter__(self) -> Iterator[str]:
        known = self._module._roles.items()
        return iter([name for name, role in known if role in self._roles])

    def __len__(self) -> int:
        return sum(role in self._roles for role in self._module._roles.values())

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self))

    # Those of a dict of what is there now, which can be reversed, and compared with a dict's.
    def keys(self) -> KeysView[str]:
        return self.copy().keys()

    def values(self) -> ValuesView[Any]:
        return self.copy().values()

    def items(self) -> ItemsView[str, Any]:
        return self.copy().items()

    def copy(self) -> dict[str, Any]:
        """Return a dict of what is there now."""
        return {name: self[name] for name in self}

    def __reduce__(self) -> Any:
        return dict, (self.copy(),)  # of a class that pickles its whole `__dict__`

    def __repr__(self) -> str:
        return repr(dict(self))


class TransientNames(MutableSet[str]):
    """The names of buffers that are not saved: a view, and changing it changes what is.

    Args:
        module: Whose.
    """

    def __init__(self, module: Tree) -> None:
        self._module = module

    def add(self, value: str) -> None:
        if self._module._roles.get(value) == "buffer":
            self._module._roles[value] = "transient buffer"

    def discard(self, value: str) -> None:
        if value in self:
            self._module._roles[value] = "buffer"

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._module._roles.get(name) == "transient buffer"

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in self._module._roles if name in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @classmethod
    def _from_iterable(cls, it: Iterable[_S]) -> set[_S]:
        """Make what `|` and its kin return: a set, which changes no module."""
        return set(it)

    def copy(self) -> set[str]:
        """Return a set of the names that there are now."""
        return set(self)

    def update(self, *others: Iterable[str]) -> None:
        """Add the names that each of these has."""
        for names in others:
            for name in tuple(names):
                self.add(name)

    def __repr__(self) -> str:
        return "{" + ", ".join(map(shown, self)) + "}"

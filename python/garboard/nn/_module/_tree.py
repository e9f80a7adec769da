"""Trees of modules: what is registered on a module, and how it is found again.

Parameters, buffers and submodules are ordinary attributes: reading one costs what any attribute
costs. `_roles` remembers which names are which, in the order in which they were registered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import NameTakenError
from garboard._arguments.texts import shown
from garboard._engine import DisposeScope, Tensor
from garboard.nn._module._home import bring_home, dense_in, nearest_open
from garboard.nn._module._hooks import told_of
from garboard.nn._module._registered import (
    BUFFERS,
    GivenRoles,
    Registered,
    TransientNames,
    is_kin,
    is_registered_by_override,
    kept_handle,
    lend_views,
)
from garboard.nn._module._walk import is_below, too_deep, walk
from garboard.nn.parameter import Buffer, Parameter, UninitializedBuffer

if TYPE_CHECKING:
    from garboard.nn.module import Module
    from garboard.sparse._tensor import SparseTensor

__all__ = ["Tree"]


class Tree:
    """The part of a Module that knows its parameters, its buffers, and the modules below it."""

    _roles: dict[str, str] = GivenRoles()  # type: ignore[assignment]

    def __init__(self) -> None:
        own = vars(self)
        own["_roles"] = {}
        own["_is_held"] = False
        own["_home"] = _engine.current_dispose_scope()
        lend_views(self)

    @property
    def _modules(self) -> Registered:
        return Registered(self, ("module",))

    @_modules.setter
    def _modules(self, given: Mapping[str, Any]) -> None:
        self._exchange(("module",), given)

    @property
    def _parameters(self) -> Registered:
        return Registered(self, ("parameter",))

    @_parameters.setter
    def _parameters(self, given: Mapping[str, Any]) -> None:
        self._exchange(("parameter",), given)

    @property
    def _buffers(self) -> Registered:
        return Registered(self, BUFFERS)

    @_buffers.setter
    def _buffers(self, given: Mapping[str, Any]) -> None:
        self._exchange(BUFFERS, given)

    def _exchange(self, roles: tuple[str, ...], given: Mapping[str, Any]) -> None:
        """Let `given` be all that there is of these roles, for programs that copy modules so."""
        wanted = dict(given)
        vars(self)["_roles"] = dict(self._roles)  # of a copied `__dict__` it is the other's
        lend_views(self)
        there = Registered(self, roles)
        for name in set(there) - set(wanted):
            del there[name]
        there.update(wanted)

    @property
    def _non_persistent_buffers_set(self) -> TransientNames:
        return TransientNames(self)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            role: str | None = "parameter"
        elif isinstance(value, Tree):
            role = "module"
        elif isinstance(value, (Buffer, UninitializedBuffer)):
            role = "buffer" if value.persistent else "transient buffer"
        else:
            role = vars(self).get("_roles", {}).get(name)
            if role == "parameter":
                value = kept_handle(self, name, value)
        if role is None:
            object.__setattr__(self, name, value)
        elif not is_registered_by_override(self, name, role, value, Tree):
            self._register(name, role, value)

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        self._roles.pop(name, None)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Make `param` this module's parameter `name`; what assigning it to an attribute does.

        Args:
            name: The attribute, without dots.
            param: A Parameter; None keeps the name for one that is missing.

        Raises:
            ValueError: The name has a dot, is empty, or is an attribute already.
            TypeError: `param` is no Parameter, or the name no string.

        >>> module = gb.nn.Module()
        >>> module.register_parameter("scale", gb.nn.Parameter(gb.ones(2)))
        >>> len(list(module.parameters()))
        1
        """
        self._register(self._free_name("register_parameter", name, "parameter"), "parameter", param)

    def register_buffer(
        self, name: str, tensor: Tensor | SparseTensor | None, persistent: bool = True
    ) -> None:
        """Make `tensor` part of the module's state that no optimizer changes.

        Args:
            name: The attribute, without dots.
            tensor: Of any dtype, dense or sparse; None keeps the name for one that comes later.
            persistent: Save it in `state_dict()`.

        Raises:
            ValueError: The name has a dot, is empty, or is an attribute already.
            TypeError: `tensor` is no Tensor, or the name no string.

        >>> module = gb.nn.Module()
        >>> module.register_buffer("mean", gb.zeros(2))
        >>> list(module.state_dict())
        ['mean']
        """
        free = self._free_name("register_buffer", name, "buffer")
        self._register(free, "buffer" if persistent else "transient buffer", tensor)

    def add_module(self, name: str, module: Module | None) -> None:
        """Make `module` this module's child `name`; what assigning it to an attribute does.

        Args:
            name: The attribute, without dots.
            module: A Module; None keeps the name for one that is missing.

        Raises:
            ValueError: The name has a dot, is empty, or is an attribute already.
                Or `module` is this one, or holds it.
            TypeError: `module` is no Module, or the name no string.

        >>> module = gb.nn.Module()
        >>> module.add_module("head", gb.nn.ReLU())
        >>> module
        Module(
          (head): ReLU()
        )
        """
        self._register(self._free_name("add_module", name, "module"), "module", module)

    register_module = add_module

    def _free_name(self, op: str, given: str, role: str) -> str:
        name = check.text(op, "name", given)
        known = vars(self).get("_roles", {}).get(name, "")
        is_taken = role not in known and getattr(self, name, None) is not None
        if name and "." not in name and not is_taken:
            return name
        need = "one without dots that is no attribute is needed"
        raise NameTakenError(f"{op}: the name {shown(name)}; {need}")

    def _register(self, name: str, role: str, value: Any, by_hand: bool = False) -> None:
        own = vars(self)
        if "_roles" not in own:
            raise AttributeError(
                f"{type(self).__name__}: {role} {shown(name)} assigned before Module.__init__() "
                "was called; call super().__init__() first"
            )
        wanted: type[Any] = {"parameter": Parameter, "module": Tree}.get(role, Tensor)
        if not (value is None or isinstance(value, wanted) or is_kin(role, value, by_hand)):
            needed = "Module" if wanted is Tree else wanted.__name__
            raise TypeError(
                f"{type(self).__name__}: a value of type {type(value).__name__} for the {role} "
                f"{shown(name)}; a {needed} or None is needed"
            )
        if isinstance(value, Tree) and is_below(self, value):
            raise ValueError(
                f"{type(self).__name__}: the module {shown(name)} holds this one, or is it; a "
                "module cannot contain itself"
            )
        own[name] = value = told_of(self, name, role, value)
        self._roles[name] = role
        if isinstance(value, Tree):
            vars(value)["_is_held"] = True
        bring_home(self, value)

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yield this module and all below it with their paths, parents first.

        Args:
            memo: Modules that are left out; those that are yielded once come to them.
            prefix: Stands before every path.
            remove_duplicate: Yield one that stands in several places once.

        Returns:
            An iterator of pairs: a path, with dots, and a module.

        >>> [name for name, _ in gb.nn.Sequential(gb.nn.ReLU()).named_modules()]
        ['', '0']
        """
        seen = set() if memo is None else memo
        this: Any = self
        return walk(this, prefix, seen if remove_duplicate else None)

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the modules directly below this one with their names, missing ones left out.

        One that stands in several places is yielded once, by the first of its names.

        Returns:
            An iterator of pairs: a name and a module.

        >>> [name for name, _ in gb.nn.Sequential(gb.nn.ReLU()).named_children()]
        ['0']
        """
        seen: set[Module] = set()
        for name, child in self._places():
            if child not in seen:
                seen.add(child)
                yield name, child

    def _places(self) -> Iterator[tuple[str, Module]]:
        """Yield each place below this one and the module in it, be it in others too.

        What is no module, a function that was put into `_modules`, is in no place.
        """
        for name, role in tuple(self._roles.items()):
            child = vars(self).get(name) if role == "module" else None
            if isinstance(child, Tree):
                this: Any = child
                yield name, this

    def _named_tensors(
        self, roles: tuple[str, ...], prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        this: Any = self
        below = self.named_modules(None, prefix, remove_duplicate)
        for path, module in below if recurse else [(prefix, this)]:
            for name, role in tuple(module._roles.items()):
                tensor = vars(module).get(name)
                if role not in roles or tensor is None or id(tensor) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(tensor))
                yield (f"{path}.{name}" if path else name), tensor

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters with their paths, a shared one once.

        Args:
            prefix: Stands before every path.
            recurse: Go into the modules below.
            remove_duplicate: False yields a shared one at each of its places.

        Returns:
            An iterator of pairs: a path, with dots, and a Parameter.

        >>> [name for name, _ in gb.nn.Sequential(gb.nn.Linear(2, 1)).named_parameters()]
        ['0.weight', '0.bias']
        """
        return self._named_tensors(("parameter",), prefix, recurse, remove_duplicate)

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield the buffers with their paths, a shared one once.

        Args:
            prefix: Stands before every path.
            recurse: Go into the modules below.
            remove_duplicate: False yields a shared one at each of its places.

        Returns:
            An iterator of pairs: a path, with dots, and a tensor.

        >>> loss = gb.nn.CrossEntropyLoss(weight=gb.ones(3))
        >>> [name for name, _ in loss.named_buffers()]
        ['weight']
        """
        return self._named_tensors(BUFFERS, prefix, recurse, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yield this module and all below it, each once, or, with `remove_duplicate=False`, often.

        Returns:
            An iterator of modules, parents first.

        >>> len(list(gb.nn.Sequential(gb.nn.ReLU()).modules()))
        2
        """
        return (it for _, it in self.named_modules(remove_duplicate=remove_duplicate))

    def children(self) -> Iterator[Module]:
        """Yield the modules directly below this one.

        Returns:
            An iterator of modules, missing ones left out.

        >>> list(gb.nn.Sequential(gb.nn.ReLU()).children())
        [ReLU()]
        """
        return (module for _, module in self.named_children())

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters, each once: what an optimizer is given.

        Args:
            recurse: Go into the modules below.

        Returns:
            An iterator of Parameters.

        >>> [parameter.shape for parameter in gb.nn.Linear(3, 2).parameters()]
        [(2, 3), (2,)]
        """
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers, each once.

        Args:
            recurse: Go into the modules below.

        Returns:
            An iterator of tensors.

        >>> list(gb.nn.Linear(3, 2).buffers())
        []
        """
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> Module:
        """Return the module below this one at a path.

        Args:
            target: Names with dots between; "" is this module.

        Raises:
            AttributeError: There is no such module; the message names what is there.

        >>> gb.nn.Sequential(gb.nn.Sequential(gb.nn.ReLU())).get_submodule("0.0")
        ReLU()
        """
        at: Any = self
        path = check.text("get_submodule", "target", target)
        for name in path.split(".") if path else ():
            found = vars(at).get(name) if at._roles.get(name) == "module" else None
            if not isinstance(found, Tree):
                there = [one for one, _ in at._places()]
                raise AttributeError(
                    f"{type(at).__name__} has no module {shown(name)}, of {shown(path)}; there are "
                    f"[{', '.join(map(shown, there[:20]))}]"
                )
            at = found
        module: Module = at
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a path, where another stands or none.

        Args:
            target: Names with dots between.
            module: The module.
            strict: Refuse a path where none stands.

        Raises:
            ValueError: `target` is "".
            AttributeError: There is no module that it would stand in; or, if `strict`, none at the
                path.
            TypeError: `module` is no Module, or `target` no string.

        >>> net = gb.nn.Sequential(gb.nn.Sequential(gb.nn.ReLU()))
        >>> net.set_submodule("0.0", gb.nn.Tanh())
        >>> net[0]
        Sequential(
          (0): Tanh()
        )
        """
        path, _, name = check.text("set_submodule", "target", target).rpartition(".")
        if not name:
            raise ValueError(
                f"set_submodule: target is {shown(target)}; a name is needed at its end"
            )
        if not isinstance(module, Tree):
            kind = type(module).__name__
            raise TypeError(f"set_submodule: module is of type {kind}; a Module is needed")
        if check.flag("set_submodule", "strict", strict):
            self.get_submodule(target)
        parent: Any = self.get_submodule(path)
        if name not in parent._roles:
            parent._free_name("set_submodule", name, "module")
        setattr(parent, name, module)

    def _tensor_at(self, op: str, target: str, roles: tuple[str, ...]) -> Any:
        path, _, name = check.text(op, "target", target).rpartition(".")
        module = self.get_submodule(path)
        role, found = module._roles.get(name), vars(module).get(name)
        if role not in roles or (found is None and role == "parameter"):
            there = [one for one, role in module._roles.items() if role in roles]
            raise AttributeError(
                f"{op}: {type(module).__name__} has no {shown(name)}; there are "
                f"[{', '.join(map(shown, there[:20]))}]"
            )
        return found

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a path.

        Args:
            target: Names with dots between.

        Raises:
            AttributeError: There is no such parameter.

        >>> gb.nn.Sequential(gb.nn.Linear(2, 1)).get_parameter("0.bias").shape
        (1,)
        """
        found: Parameter = self._tensor_at("get_parameter", target, ("parameter",))
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a path, None where it has been registered as such.

        Args:
            target: Names with dots between.

        Raises:
            AttributeError: There is no such buffer.

        >>> gb.nn.BatchNorm1d(2).get_buffer("running_mean")
        tensor([0., 0.])
        """
        found: Tensor = self._tensor_at("get_buffer", target, BUFFERS)
        return found

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call `fn` with every module, children first.

        Args:
            fn: Called with one module at a time; what it returns is dropped.

        Returns:
            This module.

        Raises:
            TypeError: `fn` cannot be called.

        >>> def zero(module):
        ...     if isinstance(module, gb.nn.Linear):
        ...         _ = gb.nn.init.zeros_(module.weight)
        >>> gb.nn.Sequential(gb.nn.Linear(2, 1, bias=False)).apply(zero)(gb.ones(2)).item()
        0.0
        """
        check.function("apply", "fn", fn)
        try:
            for child in self.children():
                child.apply(fn)
        except RecursionError:
            raise too_deep("apply", self) from None
        this: Any = self
        fn(this)
        return self

    def _owned_tensors(self) -> list[Tensor]:
        return [*self.parameters(), *[it for held in self.buffers() for it in dense_in(held)]]

    def _scope_members(self) -> list[Tensor]:
        """What moves between scopes with the module, when it is returned from one, say."""
        return [tensor for tensor in self._owned_tensors() if not tensor.is_disposed]

    def _move_home(self, left: DisposeScope | None, home: DisposeScope | None) -> None:
        """Let the modules whose home is `left`, or all where that is None, have `home`."""
        for module in self.modules():
            if left is None or nearest_open(vars(module)["_home"]) == left:
                vars(module)["_home"] = home

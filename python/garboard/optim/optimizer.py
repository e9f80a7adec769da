"""What all optimizers share: groups of parameters, their options, and state beside them.

An optimizer's tensors belong to no scope and end with the optimizer. Those of the engine's own lie
in one native state object a group; those of all others, users' own among them, in `state`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from reprlib import recursive_repr
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias
from warnings import warn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.callers import level_of_caller
from garboard._arguments.given import keys_of, list_of
from garboard._arguments.layouts import is_really
from garboard._arguments.overriding import overridable
from garboard._arguments.texts import printable, told
from garboard._engine import DisposedError, Tensor
from garboard._hooks import HookTable, RemovableHandle
from garboard.nn._module._tree import Tree
from garboard.nn.parameter import clear_gradients
from garboard.optim._hooked import (
    hooked,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from garboard.optim._required import refuse_sample, required
from garboard.optim._saved import besides, copied_besides, copied_entry, parts_of, take_options
from garboard.optim._state import States, by_number, own_parts
from garboard.optim._state_hooks import StateHooked

__all__ = [
    "Optimizer",
    "ParamsT",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
    "required",
]

_Group = dict[str, Any]  # "params", and options of several types

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[_Group] | Iterable[tuple[str, Tensor]]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from garboard.optim._of_libraries import NAMES

        if name == "_params_t":
            return ParamsT
        if name in NAMES:
            return NAMES[name]
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'", name=name)


# What a copy makes anew, or goes without.
_OF_ONE = (
    *("_born", "_is_behind", "_known", "_post_hooks", "_pre_hooks", "_seen", "_state_hooks"),
    *("_states", "state"),
)


def _lists_tensors(tree: Tree) -> bool:
    """Tell whether it is a list of parameters, which is a module too."""
    return isinstance(tree, Iterable) and all(isinstance(it, Tensor) for it in tree)


class Optimizer(StateHooked):
    """Base of optimizers: parameters in groups, and a state for each of them.

    A subclass of yours defines `step`, as for PyTorch: it reads `self.param_groups`, keeps what it
    needs in `self.state[parameter]`, a dict, and writes parameters in place under `no_grad`. What
    is put into the state leaves its dispose scope and is booked as the optimizer's. It ends with
    the optimizer: `with optimizer:`, or `dispose`.

    Args:
        params: Tensors; pairs of names and tensors; or dicts with the key "params" and options
            that differ for them.
        defaults: The options of groups that name none.

    Raises:
        ValueError: No parameters, one that is in two groups or is no leaf, or an option out of
            range. One that is given twice in a group warns, and is updated once.
        TypeError: Something that is no Tensor, or no list of them; a set, which has no order.

    >>> class Halving(gb.optim.Optimizer):
    ...     def __init__(self, params, share=0.5):
    ...         super().__init__(params, {"share": share})
    ...
    ...     @gb.no_grad()
    ...     def step(self):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 count = self.state[p].setdefault("count", 0)
    ...                 self.state[p]["count"] = count + 1
    ...                 p.mul_(group["share"])
    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> optimizer = Halving([x])
    >>> optimizer.step()
    >>> x.item(), optimizer.state[x]
    (0.5, {'count': 1})
    """

    # State that is one number, kept as a tensor without dims.
    _number_names: ClassVar[tuple[str, ...]] = ()
    _pre_hooks: HookTable | None = None
    _post_hooks: HookTable | None = None
    _is_disposed = False
    _is_stepping = False
    _is_native = False  # whether the engine keeps the state
    _step_count = 0

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = cls.__dict__.get("step")
        if callable(own) and not hasattr(own, "_is_hooked"):
            cls.step = hooked(own)  # type: ignore[method-assign]

    def __init__(self, params: Iterable[Any], defaults: Mapping[str, Any]) -> None:
        self.defaults: _Group = dict(defaults)
        if not any(it is required for it in self.defaults.values()):
            self._check_options(self.defaults)  # before the parameters, as in PyTorch
        if is_really(params, Tensor):
            raise TypeError(
                f"{self._name}: params is a Tensor; a list of them is needed, [tensor] for one"
            )
        if isinstance(params, Tree) and not _lists_tensors(params):
            raise TypeError(f"{self._name}: params is a Module; give module.parameters()")
        if isinstance(params, (set, frozenset)):
            raise TypeError(f"{self._name}: params is a set; a list, which has an order, is needed")
        self._born = _engine._next_serials()[0]  # after the aliases below it, for leak checks
        self.param_groups: list[_Group] = []
        self._make_state()
        given: list[Any] = list_of(
            (Tensor, dict, tuple), self._name, "params", params, "Tensors, or of dicts with them,"
        )
        if not given:
            raise ValueError(f"{self._name}: no parameters; at least one is needed")
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def _patch_step_function(self) -> None:
        """Do nothing: every `step` calls the hooks as it is. Wrappers of optimizers call this."""

    def _make_state(self) -> None:
        self.state: States = States()

    @property
    def _name(self) -> str:
        return type(self).__name__

    def add_param_group(self, param_group: _Group) -> None:
        """Update further parameters.

        Args:
            param_group: A dict with "params" and options that differ for them.

        Raises:
            ValueError: As for the optimizer's arguments; nothing is added then.
            TypeError: Likewise.

        >>> x, y = gb.ones(2, requires_grad=True), gb.ones(2, requires_grad=True)
        >>> optimizer = gb.optim.SGD([x], lr=0.5)
        >>> optimizer.add_param_group({"params": [y], "lr": 0.1})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.5, 0.1]
        """
        options = keys_of(str, self._name, "a group", param_group, "options")
        if "params" not in options:
            raise ValueError(f"{self._name}: a group without params; a list of Tensors is needed")
        group = {**{name: param_group[name] for name in options}}
        parameters, names = self._named(param_group["params"])
        group["params"] = parameters
        if names:
            group["param_names"] = names
        group.update({name: it for name, it in self.defaults.items() if name not in group})
        for name, value in group.items():
            if value is required:
                raise ValueError(f"{self._name}: a group without {name}; it has no default")
        known = {id(p) for other in self.param_groups for p in other["params"]}
        parameters = self._once(group)
        for place, parameter in enumerate(parameters):
            refuse_sample(self._name, place, parameter)
            if not parameter.is_leaf:
                raise ValueError(
                    f"{self._name}: parameter {place} was computed from others; a leaf is needed"
                )
            if id(parameter) in known:
                raise ValueError(f"{self._name}: parameter {place} is given twice; once is needed")
        self._check_options(group)
        for parameter in parameters:
            self._check_parameter(parameter)
        self.param_groups.append(group)

    def _check_parameter(self, parameter: Tensor) -> None:
        """Refuse what this optimizer cannot update."""

    def _named(self, given: Any) -> tuple[list[Tensor], list[str]]:
        """The parameters, and their names where pairs are given."""
        if is_really(given, Tensor):
            return [given], []
        if isinstance(given, (set, frozenset)):
            raise TypeError(f"{self._name}: params is a set; a list, which has an order, is needed")
        items: list[Any] = list_of((Tensor, tuple), self._name, "params", given, "Tensors")
        pairs = [it for it in items if isinstance(it, tuple)]
        if not pairs:
            return items, []
        for place, item in enumerate(items):
            is_pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
            if not is_pair or not is_really(item[1], Tensor):
                raise TypeError(
                    f"{self._name}: item {place} of params is no pair of a name and a Tensor; all "
                    "of them pairs, or none, are needed"
                )
        return [tensor for _, tensor in pairs], [name for name, _ in pairs]

    def _once(self, group: _Group) -> list[Tensor]:
        """The group's parameters, each where it is first given: layers that share one give it."""
        given = group["params"]
        first = {id(p): place for place, p in reversed(list(enumerate(given)))}
        places = sorted(first.values())
        if len(places) < len(given):
            text = f"{self._name}: {len(given) - len(places)} parameters of a group are given again"
            warn(f"{text}; each is updated once a step", UserWarning, stacklevel=level_of_caller())
            for key in ("params", "param_names"):
                if key in group:
                    group[key] = [group[key][place] for place in places]
        found: list[Tensor] = group["params"]
        return found

    def _check_options(self, group: _Group) -> None:
        """Raise ValueError for an option out of range, TypeError for one of another type."""

    @overridable
    def step(self, closure: Any = None) -> Any:
        """Update the parameters; a subclass defines it.

        Args:
            closure: Computes the loss anew, with gradients; optional for most optimizers.

        Returns:
            What `closure` returned, or None.

        Raises:
            NotImplementedError: The subclass has no `step`.
            DisposedError: The optimizer or one of its parameters has ended.

        >>> x = gb.tensor([1.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> gb.optim.SGD([x], lr=0.5).step()
        >>> x.item()
        0.0
        """
        raise NotImplementedError(f"{self._name}: step() is missing; an optimizer defines it")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters, or write zeros into them.

        Args:
            set_to_none: True drops them, and with them their memory.

        Raises:
            DisposedError: A parameter has ended.

        >>> x = gb.ones(2, requires_grad=True)
        >>> x.sum().backward()
        >>> gb.optim.SGD([x]).zero_grad()
        >>> print(x.grad)
        None
        """
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none:
                    parameter.grad = None
                else:
                    clear_gradients(parameter, set_to_none)

    def _refuse_disposed(self) -> None:
        if self._is_disposed:
            raise DisposedError(f"{self._name}.step: a disposed optimizer; make a new one")
        for group in self.param_groups:
            ended = [place for place, p in enumerate(group["params"]) if p.is_disposed]
            if ended:
                raise self._ended_error(ended)

    def _ended_error(self, ended: list[int], found: str = "") -> DisposedError:
        """Say which parameters of a group have ended, and what was found first."""
        return DisposedError(
            f"{self._name}.step: parameters {ended} of a group have ended{found}; build the module "
            "outside the scope that ended them, or move it out with scope.detach(module)"
        )

    def _own_new_state(self) -> None:
        own_parts(self.state)

    # Hooks

    def register_step_pre_hook(
        self, hook: Callable[[Self, tuple[Any, ...], dict[str, Any]], object]
    ) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before every step.

        Args:
            hook: It may return new args, with the optimizer first or without it, and kwargs.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: `hook` cannot be called.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)])
        >>> handle = optimizer.register_step_pre_hook(lambda *given: print("before"))
        >>> optimizer.step()
        before
        """
        check.function(f"{self._name}.register_step_pre_hook", "hook", hook)
        self._pre_hooks = self._pre_hooks or HookTable()
        return self._pre_hooks.add(hook)

    def register_step_post_hook(
        self, hook: Callable[[Self, tuple[Any, ...], dict[str, Any]], object]
    ) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after every step.

        Args:
            hook: What it returns is dropped. `args` begins with the optimizer.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: `hook` cannot be called.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)])
        >>> handle = optimizer.register_step_post_hook(lambda *given: print("after"))
        >>> optimizer.step()
        after
        """
        check.function(f"{self._name}.register_step_post_hook", "hook", hook)
        self._post_hooks = self._post_hooks or HookTable()
        return self._post_hooks.add(hook)

    # State

    def _entries(self) -> list[dict[str, Any]]:
        """What is saved of each parameter, in the order of their numbers."""
        parameters = [p for group in self.param_groups for p in group["params"]]
        return [dict(self.state[p]) if p in self.state else {} for p in parameters]

    def _names_of_tensors(self) -> tuple[str, ...]:
        """State of a parameter's sizes."""
        return ()

    def _sizes_of_state(self, parameter: Tensor) -> dict[str, tuple[int, ...]]:
        """The tensors that its state may have."""
        return dict.fromkeys(self._names_of_tensors(), parameter.shape)

    def _take_over(self, loaded: list[list[dict[str, Any]]]) -> None:
        """Replace the state of all parameters, by group and place."""
        self.state.clear()
        for group, entries in zip(self.param_groups, loaded, strict=True):
            for parameter, entry in zip(group["params"], entries, strict=True):
                if entry:
                    self.state[parameter] = entry

    def _end_state(self) -> None:
        if isinstance(self.state, States):
            self.state.dispose()
        else:
            self.state.clear()  # a mapping of the user's

    def state_dict(self) -> dict[str, Any]:
        """Return options and state in PyTorch's form, parameters by number.

        The tensors share the optimizer's storages: what `step` writes is seen in them. `clone()`
        them for a snapshot.

        >>> optimizer = gb.optim.SGD([gb.ones(2, requires_grad=True)], lr=0.5)
        >>> saved = optimizer.state_dict()
        >>> saved["param_groups"][0]["lr"], saved["param_groups"][0]["params"]
        (0.5, [0])
        """
        self._call_state_hooks("state_dict_pre")
        saved = by_number(self, self._entries()) | besides(self.state)
        groups, number = [], 0
        for group in self.param_groups:
            numbers = list(range(number, number + len(group["params"])))
            number += len(numbers)
            options = {name: it for name, it in group.items() if name != "params"}
            groups.append({**options, "params": numbers})
        made: dict[str, Any] = self._call_state_hooks(
            "state_dict_post", {"state": saved, "param_groups": groups}
        )
        return made

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over options, and copies of the state, of an optimizer with parameters alike.

        Args:
            state_dict: What `state_dict()` returned, of one with as many groups and parameters;
                one of PyTorch's optimizer of the same name, its tensors converted, fits too.

        Raises:
            TypeError: Something else than such dicts and lists; nothing is changed then.
            ValueError: Other numbers of groups or of parameters in them; nothing is changed then.
            ShapeError: State of other sizes than its parameter; nothing is changed then.

        >>> x = gb.ones(2, requires_grad=True)
        >>> optimizer = gb.optim.SGD([x], lr=0.5)
        >>> optimizer.load_state_dict(gb.optim.SGD([x], lr=0.1).state_dict())
        >>> optimizer.param_groups[0]["lr"]
        0.1
        """
        op = f"{self._name}.load_state_dict"
        if self._state_hooks and isinstance(state_dict, Mapping):
            state_dict = self._call_state_hooks("load_state_dict_pre", dict(state_dict))
        groups, saved = parts_of(op, state_dict)
        counts = [len(group["params"]) for group in groups]
        needed = [len(group["params"]) for group in self.param_groups]
        if counts != needed:
            raise ValueError(f"{op}: groups of {counts} parameters; groups of {needed} are needed")
        loaded = []
        for group, own in zip(groups, self.param_groups, strict=True):
            self._check_options({**own, **group})
        for group, own in zip(groups, self.param_groups, strict=True):
            pairs = zip(group["params"], own["params"], strict=True)
            loaded.append([self._copied(op, saved.get(number, {}), p) for number, p in pairs])
        others = copied_besides(saved)
        for group, own in zip(groups, self.param_groups, strict=True):
            take_options(own, group, self.defaults)
        self._take_over(loaded)
        self.state.update(others)
        self._call_state_hooks("load_state_dict_post")

    def _copied(self, op: str, entry: Mapping[str, Any], parameter: Tensor) -> dict[str, Any]:
        sizes = self._sizes_of_state(parameter)
        return copied_entry(op, entry, parameter, sizes=sizes, numbers=self._number_names)

    def __getstate__(self) -> dict[str, Any]:
        """What `copy` and `pickle` keep: all but hooks, and the state as plain entries."""
        kept = {name: value for name, value in vars(self).items() if name not in _OF_ONE}
        return {**kept, "_saved": self._entries(), "_besides": besides(self.state)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become a copy, of parameters that are copies too."""
        kept = dict(state)
        if "param_groups" not in kept and "param_groups" not in vars(self):
            raise ValueError(
                f"{type(self).__name__}: a pickled state without param_groups; one that was made "
                "by pickle or copy is needed"
            )
        entries, others = iter(kept.pop("_saved", ())), kept.pop("_besides", {})
        vars(self).update(kept)
        self._born = _engine._next_serials()[0]
        self._make_state()
        self._take_over([[next(entries, {}) for _ in it["params"]] for it in self.param_groups])
        self.state.update(others)

    # Life

    def dispose(self) -> None:
        """End the optimizer's state; it cannot step any more. Idempotent.

        >>> optimizer = gb.optim.Adam([gb.ones(2, requires_grad=True)])
        >>> optimizer.dispose()
        """
        self._is_disposed = True
        self._end_state()

    def _scope_members(self) -> list[Tensor]:
        """What moves between scopes with the optimizer: its own state is in none."""
        given = (parameter for group in self.param_groups for parameter in group["params"])
        return [parameter for parameter in given if not parameter.is_disposed]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.dispose()

    @recursive_repr()  # an option may hold the optimizer
    def __repr__(self) -> str:
        lines = [f"{self._name} ("]
        for number, group in enumerate(self.param_groups):
            lines += [""] if number else []
            names = sorted(name for name in group if name != "params")
            options = [f"    {printable(name)}: {told(group[name])}" for name in names]
            lines += [f"Parameter Group {number}", *options]
        return "\n".join([*lines, ")"])

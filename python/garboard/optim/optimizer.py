"""What all optimizers share: groups of parameters, their options, and native state beside them.

An optimizer's tensors live in one native state object a group. They belong to no scope, are counted
in no scope statistics, and end with the optimizer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from reprlib import recursive_repr
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self, TypeVar, overload

from garboard import _check as check
from garboard._engine import DisposedError, ShapeError, Tensor
from garboard._given import items_of, keys_of, list_of, refuse_unless_list
from garboard._grad_mode import enable_grad, no_grad
from garboard._texts import printable, shown, told
from garboard.nn._tree import Tree
from garboard.nn.parameter import clear_gradients

__all__ = ["Optimizer"]

_Group = dict[str, Any]  # "params", and options of several types
_T = TypeVar("_T")


class _State(Protocol):
    """A native state: lists of tensors beside the parameters, None where there is none yet."""

    def clear(self) -> None: ...


class Optimizer:
    """Base of optimizers. A subclass says which options it takes and how a group is updated.

    The state's tensors are in no scope. They end with the optimizer: `with optimizer:`, or
    `dispose`.

    Args:
        params: Tensors; or dicts with the key "params" and options that differ for them.
        defaults: The options of groups that name none.

    Raises:
        ValueError: No parameters, one that is given twice or is no leaf, or an option out of range.
        TypeError: Something that is no Tensor, or no list of them.
        NotImplementedError: The subclass does not define what an optimizer must.

    >>> x = gb.tensor([1.0], requires_grad=True)
    >>> isinstance(gb.optim.SGD([x], lr=0.5), gb.optim.Optimizer)
    True
    """

    # PyTorch's name of each list of tensors in the native state, and the engine's.
    _tensor_lists: ClassVar[Mapping[str, str]] = {}
    _new_state: ClassVar[Callable[[], Any]]

    def __init__(
        self, params: Iterable[Tensor] | Iterable[_Group], defaults: Mapping[str, Any]
    ) -> None:
        if not hasattr(type(self), "_new_state"):
            raise NotImplementedError(
                f"{self._name}: _new_state is missing; an optimizer defines it, as SGD, Adam and "
                "AdamW do"
            )
        if isinstance(params, Tensor):
            raise TypeError(
                f"{self._name}: params is a Tensor; a list of them is needed, [tensor] for one"
            )
        if isinstance(params, Tree):
            raise TypeError(f"{self._name}: params is a Module; give module.parameters()")
        self.defaults: _Group = dict(defaults)
        self.param_groups: list[_Group] = []
        self._states: list[Any] = []
        self._is_disposed = False
        given: list[Any] = list_of(
            (Tensor, dict), self._name, "params", params, "Tensors, or of dicts with them,"
        )
        if not given:
            raise ValueError(f"{self._name}: no parameters; at least one is needed")
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

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
        given = param_group["params"]
        parameters = (
            [given]
            if isinstance(given, Tensor)
            else list_of(Tensor, self._name, "params", given, "Tensors")
        )
        group = {**self.defaults, **{name: param_group[name] for name in options}}
        group["params"] = parameters
        known = {id(p) for other in self.param_groups for p in other["params"]}
        for place, parameter in enumerate(parameters):
            if not parameter.is_leaf:
                raise ValueError(
                    f"{self._name}: parameter {place} was computed from others; a leaf is needed"
                )
            if id(parameter) in known:
                raise ValueError(f"{self._name}: parameter {place} is given twice; once is needed")
            known.add(id(parameter))
        self._check_options(group)
        self.param_groups.append(group)
        self._states.append(type(self)._new_state())

    def _check_options(self, group: _Group) -> None:
        """Raise ValueError for an option out of range, TypeError for one of another type."""

    def _update(self, state: Any, group: _Group) -> None:
        """Update the parameters of one group that have a gradient, in place."""
        raise NotImplementedError(f"{self._name}: _update() is missing; an optimizer defines it")

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], _T]) -> _T: ...
    def step(self, closure: Callable[[], _T] | None = None) -> _T | None:
        """Update every parameter that has a gradient: one native call a group.

        Args:
            closure: Computes the loss anew, with gradients; called first.

        Returns:
            What `closure` returned, or None.

        Raises:
            DisposedError: The optimizer or one of its parameters has ended.
            DTypeError: A parameter is not floating or not contiguous.
            TypeError: `closure` cannot be called.
            OutOfMemoryError: There is no room for the state; no parameter of that group has
                changed, and the step can be taken again.

        >>> x = gb.tensor([1.0], requires_grad=True)
        >>> optimizer = gb.optim.SGD([x], lr=0.5)
        >>> (x * x).sum().backward()
        >>> optimizer.step()
        >>> x.item()
        0.0
        """
        result = None
        if closure is not None:
            check.function(f"{self._name}.step", "closure", closure, "a function, or None,")
            with enable_grad():
                result = closure()
        if self._is_disposed:
            raise DisposedError(f"{self._name}.step: a disposed optimizer; make a new one")
        for group, state in zip(self.param_groups, self._states, strict=True):
            try:
                self._update(state, group)
            except DisposedError as error:
                raise self._explained(group, error) from error
        return result

    def _explained(self, group: _Group, error: DisposedError) -> DisposedError:
        ended = [place for place, p in enumerate(group["params"]) if p.is_disposed]
        return DisposedError(
            f"{self._name}.step: parameters {ended} of a group have ended ({error}); make the "
            "optimizer after module.to() and the like, and build the module outside the scope"
        )

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
                clear_gradients(parameter, set_to_none)

    # State

    def _state_of(self, state: Any, place: int) -> dict[str, Any]:
        """What is saved of one parameter: its tensors by PyTorch's names."""
        lists = {name: getattr(state, ours) for name, ours in self._tensor_lists.items()}
        found = {name: tensors[place] for name, tensors in lists.items() if place < len(tensors)}
        return {name: tensor for name, tensor in found.items() if tensor is not None}

    def state_dict(self) -> dict[str, Any]:
        """Return options and state in PyTorch's form, parameters by number.

        The tensors share the optimizer's storages: what `step` writes is seen in them. `clone()`
        them for a snapshot.

        >>> optimizer = gb.optim.SGD([gb.ones(2, requires_grad=True)], lr=0.5)
        >>> saved = optimizer.state_dict()
        >>> saved["param_groups"][0]["lr"], saved["param_groups"][0]["params"]
        (0.5, [0])
        """
        saved: dict[int, dict[str, Any]] = {}
        groups, number = [], 0
        for group, state in zip(self.param_groups, self._states, strict=True):
            numbers = list(range(number, number + len(group["params"])))
            number += len(numbers)
            for place, own in enumerate(numbers):
                if found := self._state_of(state, place):
                    saved[own] = found
            groups.append({**group, "params": numbers})
        return {"state": saved, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over options, and copies of the state, of an optimizer with parameters alike.

        Args:
            state_dict: What `state_dict()` returned, of one with as many groups and parameters.

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
        groups, saved = self._parts_of(state_dict)
        counts = [len(group["params"]) for group in groups]
        own_counts = [len(group["params"]) for group in self.param_groups]
        if counts != own_counts:
            raise ValueError(
                f"{self._name}.load_state_dict: groups of {counts} parameters; groups of "
                f"{own_counts} are needed"
            )
        loaded = []
        for group, own in zip(groups, self.param_groups, strict=True):
            self._check_options({**own, **group})
        for group, own in zip(groups, self.param_groups, strict=True):
            pairs = zip(group["params"], own["params"], strict=True)
            loaded.append([self._copied(saved.get(number, {}), p) for number, p in pairs])
        for group, own, state, entries in zip(
            groups, self.param_groups, self._states, loaded, strict=True
        ):
            own.update({name: value for name, value in group.items() if name != "params"})
            self._load(state, entries)

    def _parts_of(
        self, state_dict: Mapping[str, Any]
    ) -> tuple[list[_Group], Mapping[Any, Mapping[str, Any]]]:
        """Check the form of a state dict, and return its groups and its state by parameter."""
        op = f"{self._name}.load_state_dict"
        keys = keys_of(str, op, "state_dict", state_dict, "'state' and 'param_groups'")
        if missing := [key for key in ("state", "param_groups") if key not in keys]:
            raise ValueError(f"{op}: keys [{', '.join(map(shown, keys))}]; {missing} are missing")
        given = state_dict["param_groups"]
        refuse_unless_list(op, "param_groups", given, "dicts")
        groups = []
        for group in items_of(given):
            names = keys_of(str, op, "a group", group, "options")
            if "params" not in names:
                raise ValueError(f"{op}: a group without params; a list of numbers is needed")
            groups.append({name: group[name] for name in names})
            refuse_unless_list(op, "params", groups[-1]["params"], "numbers")
            numbers = enumerate(items_of(groups[-1]["params"]))
            params = [check.integer(op, f"params[{place}]", number) for place, number in numbers]
            groups[-1]["params"] = params
        saved = state_dict["state"]
        if not isinstance(saved, Mapping):
            raise TypeError(
                f"{op}: state is of type {type(saved).__name__}; a dict by parameter is needed"
            )
        return groups, saved

    def _copied(self, entry: Mapping[str, Any], parameter: Tensor) -> dict[str, Any]:
        names = keys_of(str, f"{self._name}.load_state_dict", "state", entry, "Tensors and numbers")
        copied = {name: entry[name] for name in names}
        for name in self._tensor_lists:
            tensor = copied.get(name)
            if tensor is None:
                continue
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f"{self._name}.load_state_dict: {name} is of type {type(tensor).__name__}; a "
                    "Tensor is needed"
                )
            if tensor.shape != parameter.shape:
                raise ShapeError(
                    f"{self._name}.load_state_dict: {name} has sizes {list(tensor.shape)}; its "
                    f"parameter's, {list(parameter.shape)}, are needed"
                )
            with no_grad():
                copied[name] = tensor.to(parameter.device, dtype=parameter.dtype, copy=True)
        if "step" in copied:
            copied["step"] = self._steps_of(copied["step"])
        return copied

    def _steps_of(self, given: Any) -> int:
        """How many steps a saved state has seen: PyTorch saves a tensor of a float."""
        value = check.worth(f"{self._name}.load_state_dict", "step", given)
        if not 0 <= value < 1 << 63:  # NaN too
            raise ValueError(
                f"{self._name}.load_state_dict: step {shown(value)}; a number of steps is needed"
            )
        return int(value)

    def _load(self, state: Any, entries: list[dict[str, Any]]) -> None:
        for name, ours in self._tensor_lists.items():
            setattr(state, ours, [entry.get(name) for entry in entries])

    # Life

    def dispose(self) -> None:
        """End the optimizer's state; it cannot step any more. Idempotent.

        >>> optimizer = gb.optim.Adam([gb.ones(2, requires_grad=True)])
        >>> optimizer.dispose()
        """
        self._is_disposed = True
        for state in self._states:
            state.clear()

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
            names = sorted(name for name in group if name != "params")
            options = [f"    {printable(name)}: {told(group[name])}" for name in names]
            lines += [f"Parameter Group {number}", *options]
        return "\n".join([*lines, ")"])

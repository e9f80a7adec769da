"""Optimizers whose step is one call of the engine a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import call, is_
from typing import Any, ClassVar, Protocol, TypeVar, overload
from weakref import ref

from garboard._arguments import check
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import DisposedError, Tensor
from garboard.optim._state import SeenStates, States
from garboard.optim.optimizer import Optimizer

__all__ = ["NativeOptimizer"]

_Group = dict[str, Any]
_T = TypeVar("_T")


class _State(Protocol):
    """A native state: lists of tensors beside the parameters, None where there is none yet."""

    def clear(self) -> None: ...


class NativeOptimizer(Optimizer):
    """Base of the optimizers whose state and step are the engine's."""

    # PyTorch's name of each list of tensors in the native state, and the engine's.
    _tensor_lists: ClassVar[Mapping[str, str]] = {}
    _new_state: ClassVar[Callable[[], Any]]

    def _make_state(self) -> None:
        self._states: list[Any] = [type(self)._new_state() for _ in self.param_groups]
        # The parameters that the states are of, which their groups hold; and the state of what is
        # in no group, by identity.
        self._known: list[list[ref[Tensor]]] = [
            [ref(p) for p in group["params"]] for group in self.param_groups
        ]
        self._others: dict[int, tuple[Tensor, Mapping[str, Any]]] = {}

    def _refuse_disposed(self) -> None:
        """The step itself finds out."""

    def _own_new_state(self) -> None:
        """It is made outside every scope."""

    def add_param_group(self, param_group: _Group) -> None:
        super().add_param_group(param_group)
        self._states.append(type(self)._new_state())
        self._known.append([ref(p) for p in self.param_groups[-1]["params"]])

    def _follow(self, number: int) -> None:
        """Keep each state with its parameter where a program has put others into a group."""
        params, known = self.param_groups[number]["params"], self._known[number]
        if len(params) == len(known) and all(map(is_, params, map(call, known))):
            return
        if not isinstance(params, (list, tuple)):
            raise TypeError(
                f"{self._name}.step: params of a group is of type {type(params).__name__}; a list "
                "of Tensors is needed"
            )
        state = self._states[number]
        for place, known_as in enumerate(known):
            parameter = known_as()
            if parameter is not None and (entry := self._state_of(state, place)):
                self._others[id(parameter)] = (parameter, entry)
        entries = [dict(self._others.pop(id(p), (p, {}))[1]) for p in params]
        self._known[number] = [ref(p) for p in params]
        self._load(state, entries)

    def _follow_all(self) -> None:
        for number in range(len(self.param_groups)):
            self._follow(number)

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
        for number, group in enumerate(self.param_groups):
            self._follow(number)
            try:
                self._update(self._states[number], group)
            except DisposedError as error:
                raise self._explained(group, error) from error
        return result

    def _explained(self, group: _Group, error: DisposedError) -> DisposedError:
        ended = [place for place, p in enumerate(group["params"]) if p.is_disposed]
        return self._ended_error(ended, f" ({error})")

    # State

    @property
    def state(self) -> States:
        """What the optimizer keeps of each parameter, by PyTorch's names.

        The tensors are the optimizer's own, which writing in place changes. What is put into the
        dicts, or taken out of them, is the optimizer's from then on, and it may all be assigned. As
        in PyTorch, the state of a parameter that leaves its group stays until it is deleted; here
        it ends with a parameter that nobody else holds.

        Raises:
            TypeError: What is given for a tensor is none.

        >>> x = gb.ones(2, requires_grad=True)
        >>> optimizer = gb.optim.Adam([x])
        >>> x.sum().backward()
        >>> optimizer.step()
        >>> optimizer.state[x]["step"]
        1
        """
        self._follow_all()
        found = dict(self._others.values())
        for group, state in zip(self.param_groups, self._states, strict=True):
            for place, parameter in enumerate(group["params"]):
                if entry := self._state_of(state, place):
                    found[parameter] = entry
        return SeenStates(found, self._take_over_of)

    @state.setter
    def state(self, given: Mapping[Any, Mapping[str, Any]]) -> None:
        self.state.clear()
        for parameter, entry in given.items():
            self.state[parameter] = entry

    def _take_over_of(self, parameter: Any, entry: Mapping[str, Any]) -> None:
        """Replace the state of one parameter; without any it is as before its first step."""
        self._follow_all()
        for group, state in zip(self.param_groups, self._states, strict=True):
            for place, own in enumerate(group["params"]):
                if own is parameter:
                    taken = [self._state_of(state, it) for it in range(len(group["params"]))]
                    taken[place] = {
                        name: int(value) if name in self._number_names else value
                        for name, value in entry.items()
                    }
                    self._load(state, taken)
                    return
        self._others.pop(id(parameter), None)
        if entry:
            self._others[id(parameter)] = (parameter, entry)

    def _entries(self) -> list[dict[str, Any]]:
        self._follow_all()
        pairs = zip(self.param_groups, self._states, strict=True)
        return [self._state_of(it, place) for g, it in pairs for place in range(len(g["params"]))]

    def _state_of(self, state: Any, place: int) -> dict[str, Any]:
        """What is saved of one parameter: its tensors by PyTorch's names."""
        lists = {name: getattr(state, ours) for name, ours in self._tensor_lists.items()}
        found = {name: tensors[place] for name, tensors in lists.items() if place < len(tensors)}
        return {name: tensor for name, tensor in found.items() if tensor is not None}

    def _names_of_tensors(self) -> tuple[str, ...]:
        return tuple(self._tensor_lists)

    def _take_over(self, loaded: list[list[dict[str, Any]]]) -> None:
        self._follow_all()
        for state, entries in zip(self._states, loaded, strict=True):
            self._load(state, entries)

    def _load(self, state: Any, entries: list[dict[str, Any]]) -> None:
        for name, ours in self._tensor_lists.items():
            setattr(state, ours, [entry.get(name) for entry in entries])

    def _end_state(self) -> None:
        self._others.clear()
        for state in self._states:
            state.clear()

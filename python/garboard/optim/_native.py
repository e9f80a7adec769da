"""Optimizers whose step is one call of the engine a group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import call, is_
from typing import Any, ClassVar, Protocol, TypeVar, overload
from weakref import ref

from garboard._arguments import check
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import DisposedError, Tensor
from garboard.optim._state import SeenStates, States, scalar
from garboard.optim.optimizer import Optimizer

__all__ = ["NativeOptimizer"]

_Group = dict[str, Any]
_T = TypeVar("_T")


class _State(Protocol):
    """A native state: lists of tensors beside the parameters, None where there is none yet."""

    def clear(self) -> None: ...


class NativeOptimizer(Optimizer):
    """Base of the optimizers whose state and step are the engine's."""

    _is_native = True  # the step finds out itself what is disposed; its state is of no scope
    # PyTorch's name of each list of tensors in the native state, and the engine's.
    _tensor_lists: ClassVar[Mapping[str, str]] = {}
    _new_state: ClassVar[Callable[[], Any]]

    def _make_state(self) -> None:
        self._states: list[Any] = [type(self)._new_state() for _ in self.param_groups]
        # The parameters that the states are of, which their groups hold.
        self._known: list[list[ref[Tensor]]] = [
            [ref(p) for p in group["params"]] for group in self.param_groups
        ]
        # What programs have looked at, with what they have put in, and the state of parameters that
        # are in no group any more. It has fallen behind once a step has been taken.
        self._seen = SeenStates(self)
        self._is_behind = True

    def add_param_group(self, param_group: _Group) -> None:
        self._follow_groups()
        super().add_param_group(param_group)
        self._states.append(type(self)._new_state())
        params = self.param_groups[-1]["params"]
        is_known = any(self._seen.known_of(p) is not None for p in params)
        self._known.append([] if is_known else [ref(p) for p in params])

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
        for known_as, entry in zip(known, self._entries_of(state, len(known)), strict=True):
            parameter = known_as()
            if parameter is not None:
                self._show(parameter, entry)
        self._known[number] = [ref(p) for p in params]
        seen = [self._seen.known_of(p) for p in params]
        self._load(state, [self._part_of({} if it is None else it.as_it_is()) for it in seen])

    def _follow_groups(self) -> None:
        """Begin states anew, of what is known of each parameter, where a program has taken a group
        out of `param_groups`, or put one in."""
        if len(self._states) == len(self.param_groups):
            return
        for known, state in zip(self._known, self._states, strict=True):
            for known_as, entry in zip(known, self._entries_of(state, len(known)), strict=True):
                if (parameter := known_as()) is not None:
                    self._show(parameter, entry)
        self._states = [type(self)._new_state() for _ in self.param_groups]
        self._known = [[] for _ in self.param_groups]

    def _follow_all(self) -> None:
        self._follow_groups()
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
            DTypeError: A parameter is not floating.
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
        self._heed_steps()
        self._follow_groups()
        self._is_behind = True
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

        The tensors are the optimizer's own, which writing in place changes, and the dicts stay the
        same ones. What is put into them, or taken out of them, is the optimizer's from then on, and
        it may all be assigned. As in PyTorch, the state of a parameter that leaves its group stays
        until it is deleted.

        Raises:
            TypeError: What is given for a tensor is none.

        >>> x = gb.ones(2, requires_grad=True)
        >>> optimizer = gb.optim.Adam([x])
        >>> x.sum().backward()
        >>> optimizer.step()
        >>> optimizer.state[x]["step"]
        tensor(1.)
        """
        self._follow_all()
        return self._seen

    @state.setter
    def state(self, given: Mapping[Any, Mapping[str, Any]]) -> None:
        self._take_over([[{} for _ in group["params"]] for group in self.param_groups])
        for parameter, entry in given.items():
            self._seen[parameter] = entry

    def _engine_names(self) -> tuple[str, ...]:
        """What of a parameter's state the engine keeps."""
        return self._names_of_tensors()

    def _part_of(self, entry: Mapping[Any, Any]) -> dict[str, Any]:
        """What the engine keeps of a parameter's state."""
        names = self._engine_names()
        return {name: it for name, it in entry.items() if name in names}

    def _show_state(self) -> None:
        """Bring up to date what programs look at."""
        if not self._is_behind:
            return
        self._follow_all()
        self._is_behind = False
        for group, state in zip(self.param_groups, self._states, strict=True):
            params = group["params"]
            for parameter, entry in zip(params, self._entries_of(state, len(params)), strict=True):
                self._show(parameter, entry)

    def _show(self, parameter: Tensor, entry: Mapping[str, Any]) -> None:
        seen = self._seen.made_of(parameter) if entry else self._seen.known_of(parameter)
        if seen is None:
            return
        for name in self._engine_names():
            if name in entry:
                seen.show(name, entry[name])
            else:
                seen.drop(name)

    def _heed_steps(self) -> None:
        """Take over what programs have written into tensors of steps; all others are shared."""
        known = self._seen.known()
        if known and "step" in self._engine_names():
            for parameter, seen in known:
                if seen.is_step_written():
                    self._take_over_of(parameter, seen.as_it_is())

    def _take_over_of(
        self, parameter: Any, entry: Mapping[Any, Any], names: Iterable[Any] | None = None
    ) -> None:
        """Replace the engine's part of one parameter's state; without any it is as before its
        first step. `names` are those that have changed, all by default."""
        if names is not None and not set(names).intersection(self._engine_names()):
            return
        self._follow_all()
        for group, state in zip(self.param_groups, self._states, strict=True):
            for place, own in enumerate(group["params"]):
                if own is parameter:
                    taken = self._entries_of(state, len(group["params"]))
                    taken[place] = self._part_of(entry)
                    self._load(state, taken)
                    return

    def _entries(self) -> list[dict[str, Any]]:
        self._follow_all()
        found = []
        for group, state in zip(self.param_groups, self._states, strict=True):
            params = group["params"]
            for parameter, entry in zip(params, self._entries_of(state, len(params)), strict=True):
                seen = self._seen.known_of(parameter)
                if seen is not None:
                    self._show(parameter, entry)
                    found.append(seen.as_it_is())
                    continue
                if "step" in entry and not isinstance(entry["step"], Tensor):
                    entry["step"] = scalar(entry["step"])
                found.append(entry)
        return found

    def _entries_of(self, state: Any, count: int) -> list[dict[str, Any]]:
        """What the engine has of the parameters of a group: tensors by PyTorch's names."""
        entries: list[dict[str, Any]] = [{} for _ in range(count)]
        for name, ours in self._tensor_lists.items():
            for entry, tensor in zip(entries, getattr(state, ours), strict=False):
                if tensor is not None:
                    entry[name] = tensor
        return entries

    def _names_of_tensors(self) -> tuple[str, ...]:
        return tuple(self._tensor_lists)

    def _take_over(self, loaded: list[list[dict[str, Any]]]) -> None:
        self._follow_all()
        self._seen = SeenStates(self)
        for group, state, entries in zip(self.param_groups, self._states, loaded, strict=True):
            self._load(state, [self._part_of(entry) for entry in entries])
            for parameter, entry in zip(group["params"], entries, strict=True):
                if rest := entry.keys() - {*self._engine_names()}:
                    self._seen.made_of(parameter).update({n: entry[n] for n in entry if n in rest})

    def _load(self, state: Any, entries: list[dict[str, Any]]) -> None:
        self._is_behind = True
        for name, ours in self._tensor_lists.items():
            setattr(state, ours, [entry.get(name) for entry in entries])

    def _end_state(self) -> None:
        self._seen.dispose()
        for state in self._states:
            state.clear()

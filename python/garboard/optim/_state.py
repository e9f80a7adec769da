"""Where an optimizer written in Python keeps its tensors: by parameter, then by name.

What is put there leaves its dispose scope at once, and is booked as the optimizer's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self
from weakref import ref

from garboard._arguments.layouts import is_really
from garboard._arguments.nests import tensors_in
from garboard._engine import Tensor, float32, float64, get_default_dtype, tensor

__all__ = ["ParameterState", "SeenStates", "States", "by_number", "own_parts", "scalar"]


def scalar(value: float) -> Tensor:
    """A number as PyTorch's optimizers keep it: a tensor without dims on the CPU."""
    dtype = float64 if get_default_dtype() is float64 else float32
    made = tensor(float(value), dtype=dtype, device="cpu")
    made._mark_optimizer_owned()
    return made


def _is_alias(before: Any, after: Any) -> bool:
    if before is after:
        return True
    if not is_really(before, Tensor) or before.is_disposed or not is_really(after, Tensor):
        return False
    is_alike = before.shape == after.shape and before.dtype == after.dtype
    return is_alike and before.data_ptr() == after.data_ptr() and before.numel() > 0


def _own(value: object) -> None:
    for part in tensors_in(value):
        if not part.is_disposed:
            part._mark_optimizer_owned()


def own_parts(states: Mapping[Any, Any]) -> None:
    """Take over what nobody has heard of meanwhile: what was put into a list or a dict inside, or
    into a mapping of the user's that took the place of `States`."""
    is_known = isinstance(states, States)
    for state in tuple(states.values()):  # another thread's step may add to it
        for value in tuple(state.values()) if isinstance(state, Mapping) else (state,):
            if not is_known or not isinstance(value, (Tensor, int, float)):
                _own(value)


def by_number(optimizer: Any, entries: list[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """What is saved of the parameters that have a state, be it empty, by their numbers."""
    seen = vars(optimizer).get("_seen")  # what programs have asked an engine's optimizer for
    parameters = [it for group in optimizer.param_groups for it in group["params"]]
    return {
        number: entry
        for number, (it, entry) in enumerate(zip(parameters, entries, strict=True))
        if entry or (it in optimizer.state if seen is None else seen.known_of(it) is not None)
    }


class _Watched(dict[Any, Any]):
    """A dict into which all ways lead through `__setitem__`."""

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *given: Any, **named: Any) -> None:
        for key, value in dict(*given, **named).items():
            self[key] = value

    def __ior__(self, given: Any) -> Self:  # type: ignore[misc]  # of any pairs, as dict's
        self.update(given)
        return self


class ParameterState(_Watched):
    """What an optimizer keeps of one parameter: tensors and numbers by name."""

    def __setitem__(self, name: Any, value: Any) -> None:
        _own(value)
        super().__setitem__(name, value)


class States(_Watched):
    """What an optimizer keeps, by parameter: the state of one that has none yet is empty."""

    def setdefault(self, parameter: Any, default: Any = None) -> Any:
        return super().setdefault(parameter, {} if default is None else default)

    def __missing__(self, parameter: Any) -> ParameterState:
        state = self[parameter] = ParameterState()
        return state

    def __setitem__(self, parameter: Any, value: Any) -> None:
        state = value
        if isinstance(value, Mapping) and not isinstance(value, ParameterState):
            state = ParameterState()
            state.update(value)
        else:
            _own(value)
        super().__setitem__(parameter, state)

    def dispose(self) -> None:
        """End every tensor, and forget all."""
        for part in tensors_in(list(self.values())):
            part.dispose()
        self.clear()


class _Looking(dict[Any, Any]):
    """A dict that is brought up to date before it is read."""

    def look(self) -> None:
        """Bring it up to date, where it may have fallen behind."""
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Any:
        self.look()
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.look()
        return super().__contains__(key)

    def __iter__(self) -> Iterator[Any]:
        self.look()
        return super().__iter__()

    def __len__(self) -> int:
        self.look()
        return super().__len__()

    def __eq__(self, other: object) -> bool:
        self.look()
        return super().__eq__(other)

    __hash__ = None

    def __repr__(self) -> str:
        self.look()
        return super().__repr__()

    def get(self, key: Any, default: Any = None) -> Any:
        self.look()
        return super().get(key, default)

    def keys(self) -> Any:
        self.look()
        return super().keys()

    def values(self) -> Any:
        self.look()
        return super().values()

    def items(self) -> Any:
        self.look()
        return super().items()

    def copy(self) -> Any:
        return dict(self)

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


class _SeenState(_Looking, ParameterState):
    """What an engine's optimizer keeps of a parameter, and what programs have put beside it."""

    def __init__(self, states: SeenStates, parameter: Any) -> None:
        super().__init__()
        self._states = ref(states)
        self._parameter = ref(parameter)
        # What its "step" says unless a program has written into it; None: it is the engine's own.
        self.shown_step: float | None = 0.0

    def look(self) -> None:
        states = self._states()
        if states is not None:
            states.look()

    def show(self, name: str, value: Any) -> None:
        """Put in what the engine has: the tensor that is there already where it is the same one."""
        before = dict.get(self, name)
        if name == "step" and not is_really(value, Tensor):
            if is_really(before, Tensor) and not before.is_disposed:
                before.fill_(value)
            else:
                super().__setitem__(name, scalar(value))
            self.shown_step = value
        elif not _is_alias(before, value):
            super().__setitem__(name, value)
        if name == "step" and is_really(value, Tensor):
            self.shown_step = None

    def drop(self, name: str) -> None:
        """Forget what the engine has no more."""
        dict.pop(self, name, None)

    def as_it_is(self) -> dict[Any, Any]:
        """What it says, without a look."""
        return dict(dict.items(self))

    def is_step_written(self) -> bool:
        """Whether a program has written into the tensor of the step, which is no engine's own."""
        step = dict.get(self, "step")
        if self.shown_step is None or not is_really(step, Tensor) or step.is_disposed:
            return False
        return bool(step.item() != self.shown_step)

    def _take(self, *names: Any) -> None:
        states, parameter = self._states(), self._parameter()
        if states is not None and dict.get(states, parameter) is self:  # it may be another's by now
            states.take(parameter, self.as_it_is(), names)

    def __setitem__(self, name: Any, value: Any) -> None:
        self.look()
        super().__setitem__(name, value)
        self._take(name)

    def __delitem__(self, name: Any) -> None:
        self.look()
        super().__delitem__(name)
        self._take(name)

    def pop(self, name: Any, *default: Any) -> Any:
        self.look()
        found = super().pop(name, *default)
        self._take(name)
        return found

    def popitem(self) -> tuple[Any, Any]:
        self.look()
        name, found = super().popitem()
        self._take(name)
        return name, found

    def clear(self) -> None:
        names = list(self)
        super().clear()
        self._take(*names)


class SeenStates(_Looking, States):
    """What an engine's optimizer keeps, by parameter: what is written is taken over.

    It is looked at anew where a step has been taken since. It does not hold the optimizer.
    """

    def __init__(self, optimizer: Any) -> None:
        super().__init__()
        self._optimizer = ref(optimizer)

    def _owner(self) -> Any:
        owner = self._optimizer()
        return owner if owner is not None and owner._seen is self else None

    def look(self) -> None:
        owner = self._owner()
        if owner is not None:
            owner._show_state()

    def take(
        self, parameter: Any, state: Mapping[Any, Any], names: Iterable[Any] | None = None
    ) -> None:
        """Hand the engine what has been written: what has these names, or all."""
        owner = self._owner()
        if owner is not None:
            owner._take_over_of(parameter, state, names)

    def known(self) -> list[tuple[Any, _SeenState]]:
        """The parameters and states that are in it, without a look."""
        return [(of, it) for of, it in dict.items(self) if isinstance(it, _SeenState)]

    def known_of(self, parameter: Any) -> _SeenState | None:
        """The state of a parameter, if it is in it, without a look."""
        return dict.get(self, parameter)

    def made_of(self, parameter: Any) -> _SeenState:
        """The state of a parameter, empty where it has none yet, without a look."""
        found = self.known_of(parameter)
        if found is None:
            found = _SeenState(self, parameter)
            dict.__setitem__(self, parameter, found)
        return found

    def __missing__(self, parameter: Any) -> ParameterState:
        return (
            self.made_of(parameter)
            if is_really(parameter, Tensor)
            else super().__missing__(parameter)
        )

    def __setitem__(self, parameter: Any, value: Any) -> None:
        if not is_really(parameter, Tensor):  # the program's own, which no engine knows
            return super().__setitem__(parameter, value)
        given = dict(value)
        dict.pop(self, parameter, None)
        state = self.made_of(parameter)
        for name, part in given.items():
            ParameterState.__setitem__(state, name, part)
        self.take(parameter, given)

    def __delitem__(self, parameter: Any) -> None:
        self.look()
        super().__delitem__(parameter)
        self.take(parameter, {})

    def pop(self, parameter: Any, *default: Any) -> Any:
        self.look()
        found = super().pop(parameter, *default)
        self.take(parameter, {})
        return found

    def popitem(self) -> tuple[Any, Any]:
        self.look()
        parameter, found = super().popitem()
        self.take(parameter, {})
        return parameter, found

    def clear(self) -> None:
        for parameter in list(self):
            del self[parameter]

    def dispose(self) -> None:
        for part in tensors_in([state.as_it_is() for _, state in self.known()]):
            part.dispose()
        dict.clear(self)

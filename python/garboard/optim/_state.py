"""Where an optimizer written in Python keeps its tensors: by parameter, then by name.

What is put there leaves its dispose scope at once, and is booked as the optimizer's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from garboard._arguments.nests import tensors_in
from garboard._engine import Tensor

__all__ = ["ParameterState", "SeenStates", "States", "own_parts"]


def _own(value: object) -> None:
    for tensor in tensors_in(value):
        if not tensor.is_disposed:
            tensor._mark_optimizer_owned()


def own_parts(states: Mapping[Any, Any]) -> None:
    """Take over what nobody has heard of meanwhile: what was put into a list or a dict inside, or
    into a mapping of the user's that took the place of `States`."""
    is_known = isinstance(states, States)
    for state in states.values():
        for value in state.values() if isinstance(state, Mapping) else (state,):
            if not is_known or not isinstance(value, (Tensor, int, float)):
                _own(value)


class ParameterState(dict[Any, Any]):
    """What an optimizer keeps of one parameter: tensors and numbers by name."""

    def __setitem__(self, name: Any, value: Any) -> None:
        _own(value)
        super().__setitem__(name, value)

    def setdefault(self, name: Any, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def update(self, *given: Any, **named: Any) -> None:
        for name, value in dict(*given, **named).items():
            self[name] = value


class States(dict[Any, Any]):
    """What an optimizer keeps, by parameter: the state of one that has none yet is empty."""

    def __missing__(self, parameter: Any) -> ParameterState:
        state = self[parameter] = ParameterState()
        return state

    def __setitem__(self, parameter: Any, value: Any) -> None:
        state = value
        if isinstance(value, Mapping) and not isinstance(value, ParameterState):
            state = ParameterState()
            state.update(value)
        super().__setitem__(parameter, state)

    def dispose(self) -> None:
        """End every tensor, and forget all."""
        for tensor in tensors_in(list(self.values())):
            tensor.dispose()
        self.clear()


class _SeenState(ParameterState):
    """A look at what an engine's optimizer keeps of a parameter: what is written is taken over."""

    def __init__(self, entry: Mapping[Any, Any], take: Callable[[Mapping[Any, Any]], None]) -> None:
        dict.__init__(self, entry)
        self._take = take

    def __reduce__(self) -> tuple[type[dict[Any, Any]], tuple[dict[Any, Any]]]:
        return dict, (dict(self),)

    def __setitem__(self, name: Any, value: Any) -> None:
        super().__setitem__(name, value)
        self._take(self)

    def __delitem__(self, name: Any) -> None:
        super().__delitem__(name)
        self._take(self)

    def pop(self, name: Any, *default: Any) -> Any:
        found = super().pop(name, *default)
        self._take(self)
        return found

    def clear(self) -> None:
        super().clear()
        self._take(self)


class SeenStates(States):
    """A look at what an engine's optimizer keeps, by parameter: what is written is taken over.

    Args:
        entries: The state of each parameter that has one.
        take: Takes over the state of a parameter, an empty one for none.
    """

    def __init__(
        self,
        entries: Mapping[Any, Mapping[Any, Any]],
        take: Callable[[Any, Mapping[Any, Any]], None],
    ) -> None:
        super().__init__()
        self._take = take
        for parameter, entry in entries.items():
            dict.__setitem__(self, parameter, self._seen(parameter, entry))

    def __reduce__(self) -> tuple[type[dict[Any, Any]], tuple[dict[Any, Any]]]:
        return dict, ({parameter: dict(entry) for parameter, entry in self.items()},)

    def _seen(self, parameter: Any, entry: Mapping[Any, Any]) -> _SeenState:
        def take(changed: Mapping[Any, Any]) -> None:
            if self.get(parameter) is seen:  # it may be another's by now
                self._take(parameter, changed)

        seen = _SeenState(entry, take)
        return seen

    def __missing__(self, parameter: Any) -> ParameterState:
        seen = self._seen(parameter, {})
        dict.__setitem__(self, parameter, seen)
        return seen

    def __setitem__(self, parameter: Any, value: Any) -> None:
        state = ParameterState()
        state.update(value)
        self._take(parameter, state)
        dict.__setitem__(self, parameter, self._seen(parameter, state))

    def __delitem__(self, parameter: Any) -> None:
        super().__delitem__(parameter)
        self._take(parameter, {})

    def pop(self, parameter: Any, *default: Any) -> Any:
        if parameter in self:
            self._take(parameter, {})
        return super().pop(parameter, *default)

    def clear(self) -> None:
        for parameter in list(self):
            del self[parameter]

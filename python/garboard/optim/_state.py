"""Where an optimizer written in Python keeps its tensors: by parameter, then by name.

What is put there leaves its dispose scope at once, and is booked as the optimizer's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from garboard._arguments.nests import tensors_in
from garboard._engine import Tensor

__all__ = ["ParameterState", "States", "own_parts"]


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

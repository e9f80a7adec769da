"""Optimizers whose step is one call of the engine a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, TypeVar, overload

from garboard._arguments import check
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import DisposedError
from garboard.optim._state import ParameterState, States
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

    def _refuse_disposed(self) -> None:
        """The step itself finds out."""

    def _own_new_state(self) -> None:
        """It is made outside every scope."""

    def add_param_group(self, param_group: _Group) -> None:
        super().add_param_group(param_group)
        self._states.append(type(self)._new_state())

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

    # State

    @property
    def state(self) -> States:  # type: ignore[override]
        """What the optimizer keeps of each parameter, by PyTorch's names: a snapshot.

        The tensors are the optimizer's own, which writing in place changes; what is put into the
        dicts is not seen by it. `load_state_dict` replaces state.

        >>> x = gb.ones(2, requires_grad=True)
        >>> optimizer = gb.optim.Adam([x])
        >>> x.sum().backward()
        >>> optimizer.step()
        >>> optimizer.state[x]["step"]
        1
        """
        found = States()
        for group, state in zip(self.param_groups, self._states, strict=True):
            for place, parameter in enumerate(group["params"]):
                if entry := self._state_of(state, place):
                    found[parameter] = ParameterState(entry)
        return found

    def _entries(self) -> list[dict[str, Any]]:
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
        for state, entries in zip(self._states, loaded, strict=True):
            self._load(state, entries)

    def _load(self, state: Any, entries: list[dict[str, Any]]) -> None:
        for name, ours in self._tensor_lists.items():
            setattr(state, ours, [entry.get(name) for entry in entries])

    def _end_state(self) -> None:
        for state in self._states:
            state.clear()

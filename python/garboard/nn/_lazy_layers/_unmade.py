"""What layers do that learn the size of their input from the first one."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from garboard._arguments import check
from garboard._engine import ShapeError, empty
from garboard.nn.module import Module
from garboard.nn.parameter import (
    Parameter,
    UninitializedBuffer,
    UninitializedParameter,
    is_lazy,
)

__all__ = ["Lazy"]


class Lazy(Module):
    """What all of them do: wait for an input, and become an ordinary layer.

    The layer is made with a size of 0; what that size is part of is replaced by something without
    sizes, and by parameters when the first input comes.

    Args:
        args: What the layer takes.
        kwargs: The same by name.

    Raises:
        TypeError: The class is no layer of its own.

    >>> isinstance(gb.nn.LazyLinear(2), gb.nn.modules.lazy.LazyModuleMixin)
    True
    """

    _becomes: ClassVar[type[Module]]
    _dim: ClassVar[int]  # of an input, from its end: where its size is found
    _waiting: ClassVar[tuple[str, ...]]  # names of parameters and buffers

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if not hasattr(cls, "_becomes"):
            raise TypeError(f"{cls.__name__}: no layer of its own; LazyLinear and others are")
        return super().__new__(cls)

    def _wait(self) -> None:
        for name in self._waiting:
            tensor = vars(self).get(name)
            if isinstance(tensor, Parameter):
                self.register_parameter(
                    name, UninitializedParameter(True, tensor.device, tensor.dtype)
                )
            elif tensor is not None:
                vars(self)[name] = UninitializedBuffer(False, tensor.device, tensor.dtype)

    def has_uninitialized_params(self) -> bool:
        """Tell whether the layer has not been called yet.

        Returns:
            A bool.

        >>> gb.nn.LazyLinear(2).has_uninitialized_params()
        True
        """
        return any(is_lazy(vars(self).get(name)) for name in self._waiting)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, once there are some.

        >>> gb.nn.LazyLinear(2).reset_parameters()
        """
        draw: Any = getattr(self._becomes, "reset_parameters", None)
        if draw is not None and not self.has_uninitialized_params():
            draw(self)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        name = type(self).__name__
        given = args[0] if args else next(iter(kwargs.values()), None)
        shape = check.tensor(name, "input", given).shape
        if len(shape) < -self._dim:
            raise ShapeError(
                f"{name}: input of sizes {shape}; {-self._dim} dims or more are needed"
            )
        self._begin(shape[self._dim])
        self.__class__ = self._becomes  # type: ignore[assignment]
        return self.forward(*args, **kwargs)

    def _begin(self, size: int) -> None:
        raise NotImplementedError

    def _make(self, name: str, *sizes: int, fill: Any = empty) -> None:
        """Let a parameter or buffer have sizes, unless it has them, from a state dict."""
        waiting: Any = vars(self).get(name)
        if not is_lazy(waiting):
            return
        made = fill(*sizes, dtype=waiting.dtype, device=waiting.device)
        if isinstance(waiting, Parameter):  # it stays itself: optimizers may hold it already
            waiting._become(made)
        else:
            self._register(name, self._roles[name], made)

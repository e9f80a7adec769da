"""What layers do that learn the size of their input from the first one."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._engine import ShapeError, empty
from garboard.nn.module import Module
from garboard.nn.parameter import (
    Parameter,
    UninitializedBuffer,
    UninitializedParameter,
    is_lazy,
)

__all__ = ["Lazy", "LazyModuleMixin"]


class LazyModuleMixin:
    """What makes a module of yours wait for the sizes of its first input: a base before Module's.

    Its `__init__` makes `UninitializedParameter`s, and `initialize_parameters`, which is called
    with what the module is called with first, gives them sizes: by `materialize`. Then the module
    is of the class `cls_to_become`, if there is one.

    Args:
        *args: What the base behind it takes.
        **kwargs: The same by name.

    Raises:
        TypeError: The class is no Module.

    >>> class Scale(gb.nn.modules.lazy.LazyModuleMixin, gb.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factors = gb.nn.UninitializedParameter()
    ...
    ...     def initialize_parameters(self, x):
    ...         if self.has_uninitialized_params():
    ...             self.factors.materialize(x.shape[-1])
    ...             gb.nn.init.ones_(self.factors)
    ...
    ...     def forward(self, x):
    ...         return x * self.factors
    >>> Scale()(gb.ones(3)).tolist()
    [1.0, 1.0, 1.0]
    """

    cls_to_become: type[Module] | None = None

    def __init__(self, *args: object, **kwargs: object) -> None:
        if not isinstance(self, Module):
            raise TypeError(
                f"{type(self).__name__}: no layer of its own; LazyLinear and others are, and "
                "classes with Module for another base"
            )
        super().__init__(*args, **kwargs)
        this: Any = self
        handle = this.register_forward_pre_hook(_begun, with_kwargs=True)
        vars(self)["_initialize_hook"] = handle

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give what waits its sizes; a class defines it.

        Args:
            *args: What the module is called with first.
            **kwargs: The same by name.

        Raises:
            NotImplementedError: The class does not define it.

        >>> layer = gb.nn.LazyLinear(2)
        >>> layer.initialize_parameters(gb.ones(1, 3))
        >>> layer.weight.shape
        (2, 3)
        """
        raise NotImplementedError(
            f"{type(self).__name__}: initialize_parameters() is missing; a lazy module defines it"
        )

    def has_uninitialized_params(self) -> bool:
        """Tell whether a parameter or buffer of the module itself has no sizes yet.

        Returns:
            A bool.

        >>> gb.nn.LazyLinear(2).has_uninitialized_params()
        True
        """
        this: Any = self
        return any(map(is_lazy, (*this._parameters.values(), *this._buffers.values())))


def _begun(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Before the first forward of a module of a program's own."""
    module.initialize_parameters(*args, **kwargs)
    if module.has_uninitialized_params():
        raise ArgumentError(
            f"{type(module).__name__}: initialize_parameters() left parameters without sizes; all "
            "are needed before forward()"
        )
    vars(module).pop("_initialize_hook").remove()
    if module.cls_to_become is not None:
        module.__class__ = module.cls_to_become


class Lazy(LazyModuleMixin, Module):
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

    @property
    def cls_to_become(self) -> type[Module]:  # type: ignore[override]
        """The class that the layer is of once it has been called."""
        return self._becomes

    def __init__(self, *args: object, **kwargs: object) -> None:
        super(LazyModuleMixin, self).__init__(*args, **kwargs)

    def _wait(self) -> None:
        for name in self._waiting:
            tensor = vars(self).get(name)
            if isinstance(tensor, Parameter):
                self.register_parameter(
                    name, UninitializedParameter(True, tensor.device, tensor.dtype)
                )
            elif tensor is not None:
                vars(self)[name] = UninitializedBuffer(False, tensor.device, tensor.dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, once there are some.

        >>> gb.nn.LazyLinear(2).reset_parameters()
        """
        draw: Any = getattr(self._becomes, "reset_parameters", None)
        if draw is not None and not self.has_uninitialized_params():
            draw(self)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        name = type(self).__name__
        given = args[0] if args else next(iter(kwargs.values()), None)
        shape = check.tensor(name, "input", given).shape
        if len(shape) < -self._dim:
            raise ShapeError(
                f"{name}: input of sizes {shape}; {-self._dim} dims or more are needed"
            )
        self._begin(shape[self._dim])

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        self.initialize_parameters(*args, **kwargs)
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

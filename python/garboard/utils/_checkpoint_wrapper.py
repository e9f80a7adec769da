"""Modules that keep less for backward: what they compute is computed again, or kept on the CPU."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from garboard._arguments import check
from garboard.autograd.graph import save_on_cpu
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter
from garboard.utils.checkpoint import checkpoint

__all__ = [
    "ActivationWrapper",
    "CheckpointImpl",
    "CheckpointWrapper",
    "OffloadWrapper",
    "apply_activation_checkpointing",
    "checkpoint_wrapper",
    "offload_wrapper",
]

_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = _CHECKPOINT_WRAPPED_MODULE + "."


class CheckpointImpl(enum.Enum):
    """How the second pass is made; here there is one way, for both.

    >>> from garboard.utils._checkpoint_wrapper import CheckpointImpl
    >>> CheckpointImpl.NO_REENTRANT.name
    'NO_REENTRANT'
    """

    REENTRANT = enum.auto()
    NO_REENTRANT = enum.auto()


class ActivationWrapper(Module):
    """Base of modules around another, whose attributes, parameters and state they have.

    Names in `state_dict()`, and in `named_parameters()` of the wrapper itself, are those of the
    module inside.

    Args:
        mod: The module inside.

    Raises:
        TypeError: `mod` is no Module.
    """

    def __init__(self, mod: Module) -> None:
        super().__init__()
        check.of_type(Module, type(self).__name__, "mod", mod)
        self._checkpoint_wrapped_module = mod
        self.register_state_dict_post_hook(_shorten)
        self.register_load_state_dict_pre_hook(_lengthen)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)  # type: ignore[misc]
        except AttributeError:
            if name == _CHECKPOINT_WRAPPED_MODULE:
                raise
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, place: Any) -> Any:
        """What the module inside, a row of modules, has there."""
        inside: Any = self._checkpoint_wrapped_module
        return inside[place]

    def named_parameters(self, *given: Any, **named: Any) -> Iterator[tuple[str, Parameter]]:
        """Yield parameters by the names that they have in the module inside; see `Module`."""
        for name, parameter in super().named_parameters(*given, **named):
            yield name.replace(_CHECKPOINT_PREFIX, ""), parameter


def _shorten(module: Module, state: dict[str, Any], prefix: str, metadata: Any) -> None:
    longer = prefix + _CHECKPOINT_PREFIX
    for name in [it for it in state if it.startswith(longer)]:
        state[prefix + name[len(longer) :]] = state.pop(name)


def _lengthen(module: Module, state: dict[str, Any], prefix: str, *others: Any) -> None:
    longer = prefix + _CHECKPOINT_PREFIX
    for name in [it for it in state if it.startswith(prefix) and not it.startswith(longer)]:
        state[longer + name[len(prefix) :]] = state.pop(name)


class CheckpointWrapper(ActivationWrapper):
    """A module whose inside is run again in backward, by `utils.checkpoint`.

    Args:
        mod: The module inside.
        checkpoint_impl: Without effect: there is one way.
        checkpoint_fn: Called in place of `checkpoint` with the module and what it takes.
        checkpoint_fn_kwargs: What `checkpoint_fn`, or `checkpoint`, takes besides.

    Raises:
        TypeError: `mod` is no Module.
    """

    def __init__(
        self,
        mod: Module,
        checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable[..., Any] | None = None,
        **checkpoint_fn_kwargs: Any,
    ) -> None:
        super().__init__(mod)
        self.checkpoint_impl = check.of_type(
            CheckpointImpl, type(self).__name__, "checkpoint_impl", checkpoint_impl
        )
        if checkpoint_fn is None:
            checkpoint_fn = partial(checkpoint, use_reentrant=False)
        self.checkpoint_fn = partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module inside, and keep its arguments alone."""
        return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)


class OffloadWrapper(ActivationWrapper):
    """A module of which what backward needs is kept on the CPU.

    Args:
        mod: The module inside.

    Raises:
        TypeError: `mod` is no Module.
    """

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module inside."""
        with save_on_cpu(pin_memory=True):
            return self._checkpoint_wrapped_module(*args, **kwargs)


def checkpoint_wrapper(
    module: Module,
    checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable[..., Any] | None = None,
    **checkpoint_fn_kwargs: Any,
) -> Module:
    """Make a module whose inside is run again in backward instead of being kept.

    Args:
        module: The module inside.
        checkpoint_impl: Without effect: there is one way.
        checkpoint_fn: Called in place of `utils.checkpoint.checkpoint`.
        checkpoint_fn_kwargs: What `checkpoint_fn`, or `checkpoint`, takes besides.

    Returns:
        A `CheckpointWrapper`.

    Raises:
        TypeError: `module` is no Module.

    >>> from garboard.utils._checkpoint_wrapper import checkpoint_wrapper
    >>> layer = gb.nn.Linear(2, 1)
    >>> wrapped = checkpoint_wrapper(layer)
    >>> list(wrapped.state_dict())
    ['weight', 'bias']
    >>> wrapped(gb.ones(1, 2)).sum().backward()
    >>> layer.weight.grad
    tensor([[1., 1.]])
    """
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def offload_wrapper(module: Module) -> Module:
    """Make a module of which what backward needs is kept on the CPU.

    Args:
        module: The module inside.

    Returns:
        An `OffloadWrapper`.

    Raises:
        TypeError: `module` is no Module.

    >>> from garboard.utils._checkpoint_wrapper import offload_wrapper
    >>> offload_wrapper(gb.nn.Linear(2, 1))(gb.ones(3, 2)).shape
    (3, 1)
    """
    return OffloadWrapper(module)


def apply_activation_checkpointing(
    model: Module,
    checkpoint_wrapper_fn: Callable[..., Module] = checkpoint_wrapper,
    check_fn: Callable[[Module], bool] = lambda _: True,
    auto_wrap_policy: Callable[[Module, bool, int], bool] | None = None,
) -> None:
    """Put wrappers around modules below a model, in their places.

    Args:
        model: The model, which is changed; it is not wrapped itself.
        checkpoint_wrapper_fn: Makes the wrapper of a module.
        check_fn: Which modules are wrapped: all, by default.
        auto_wrap_policy: In place of `check_fn`, called with a module, False, and how many
            elements its parameters have.

    Raises:
        TypeError: `model` is no Module.

    >>> from garboard.utils._checkpoint_wrapper import apply_activation_checkpointing
    >>> model = gb.nn.Sequential(gb.nn.Linear(2, 2), gb.nn.ReLU())
    >>> apply_activation_checkpointing(model, check_fn=lambda it: isinstance(it, gb.nn.Linear))
    >>> [type(it).__name__ for it in model]
    ['CheckpointWrapper', 'ReLU']
    """
    check.of_type(Module, "apply_activation_checkpointing", "model", model)
    made: dict[int, Module] = {}  # a module in several places has one wrapper

    def is_wanted(module: Module) -> bool:
        if auto_wrap_policy is None:
            return check_fn(module)
        return auto_wrap_policy(module, False, sum(it.numel() for it in module.parameters()))

    for owner in list(model.modules()):
        for name, module in list(owner.named_children()):
            if id(module) not in made and is_wanted(module):
                made[id(module)] = checkpoint_wrapper_fn(module)
            if id(module) in made:
                setattr(owner, name, made[id(module)])

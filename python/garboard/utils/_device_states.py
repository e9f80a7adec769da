"""What functions that compute again in a backward pass of their own keep of their first call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from warnings import warn

from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._arguments.layouts import is_really
from garboard._arguments.nests import tensors_in
from garboard._contexts import generator as _generator
from garboard._engine import Tensor

__all__ = [
    "check_backward_validity",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_device_states",
]


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """Return where the generators of the devices stand that arguments are on.

    One generator draws for all devices and the CPU: its state is each device's.

    Args:
        *args: Tensors, lists, tuples and dicts of them; whatever else is passed over.

    Returns:
        The number of each device, once a tensor that is not on the CPU, and as many uint8 tensors
        of 16 elements, on the CPU.

    >>> gb.utils.checkpoint.get_device_states(gb.rand(2))
    ([], [])
    """
    devices = [
        it.device.index or 0 for it in tensors_in(args) if it.device.type not in ("cpu", "meta")
    ]
    return devices, [_generator.get_rng_state() for _ in devices]


def set_device_states(
    devices: Sequence[int], states: Iterable[Tensor], *, device_type: str | None = None
) -> None:
    """Go back to where `get_device_states` was called, if it found a device.

    Args:
        devices: The numbers that it returned.
        states: The states that it returned; the last one counts.
        device_type: Not needed: one generator draws for all devices.

    Raises:
        DTypeError: A state is not of uint8.
        ShapeError: A state has not 16 elements.

    >>> gb.utils.checkpoint.set_device_states(*gb.utils.checkpoint.get_device_states(gb.rand(2)))
    """
    for _, state in zip(devices, states, strict=False):
        _generator.set_rng_state(state)


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments as leaves of a new graph, which require grad where they do.

    Args:
        inputs: A tuple; what is no tensor in it is returned as it is.

    Returns:
        A tuple of as many, whose tensors are new handles of the same elements.

    Raises:
        TypeError: `inputs` is no tuple.

    >>> x = gb.ones(2, requires_grad=True)
    >>> (leaf, factor) = gb.utils.checkpoint.detach_variable((x * 2, 3.0))
    >>> leaf.is_leaf, leaf.requires_grad, factor
    (True, True, 3.0)
    """
    check.of_type(tuple, "detach_variable", "inputs", inputs)
    return tuple([_leaf(it) if is_really(it, Tensor) else it for it in items_of(inputs)])


def _leaf(tensor: Tensor) -> Tensor:
    leaf = tensor.detach()
    leaf.requires_grad = tensor.requires_grad
    return leaf


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn where no tensor among arguments requires grad.

    Args:
        inputs: Arguments; what is no tensor is passed over.

    >>> gb.utils.checkpoint.check_backward_validity([gb.ones(2, requires_grad=True), 3.0])
    """
    if not any(it.requires_grad for it in inputs if is_really(it, Tensor)):
        warn("none of the inputs requires grad, so there will be no gradients", stacklevel=2)


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """Return two context managers that do nothing: the default `context_fn` of `checkpoint`.

    >>> first, second = gb.utils.checkpoint.noop_context_fn()
    """
    return nullcontext(), nullcontext()

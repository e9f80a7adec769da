"""Where graphs keep tensors for backward, and what one may do about it."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakValueDictionary

from garboard import _engine
from garboard._arguments.check import count, flag, function, path, text
from garboard._arguments.given import list_of
from garboard._arguments.layouts import is_really
from garboard._contexts.grad_mode import no_grad
from garboard._engine import GradientError, GraphNode, Tensor, empty
from garboard._names.missing import module_getattr
from garboard.autograd._edges import GradientEdge, get_gradient_edge
from garboard.autograd._multi_grad_hook import register_multi_grad_hook

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "save_on_disk",
    "saved_tensors_hooks",
]

Node = GraphNode

_PACKS = 2  # as in csrc/tensor/grad_mode.h

_Hooks = tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]

# Of this thread and asyncio task, the innermost last.
_open: ContextVar[tuple[saved_tensors_hooks, ...]] = ContextVar("saved_tensors_hooks", default=())
_refusals: ContextVar[tuple[disable_saved_tensors_hooks, ...]] = ContextVar(
    "no_saved_tensors_hooks", default=()
)


def _innermost() -> _Hooks:
    hooks = _open.get()
    return hooks[-1]._hooks if hooks else (lambda tensor: tensor, lambda packed: packed)


_engine._set_packing_hooks(_innermost)


class saved_tensors_hooks(_engine._StackBlock):
    """Keep what ops save for backward in another form: a block.

    Whatever an op records inside keeps for its gradient, inputs, outputs and what a `Function`
    saves, is given to `pack_hook`, and only what that returns is kept. Backward gives that to
    `unpack_hook`, as often as the tensor is needed. Of blocks inside each other the innermost
    counts. Hooks run in no grad mode and `pack_hook` outside every scope; what they keep of a
    tensor lives as the graph does.

    Args:
        pack_hook: Called with a tensor without history; it must not write into it.
        unpack_hook: Called with what `pack_hook` returned; it returns a tensor of the same sizes,
            dtype and device.

    Raises:
        TypeError: A hook cannot be called.
        GradientError: The block is opened inside `disable_saved_tensors_hooks`.

    >>> x = gb.zeros(3, requires_grad=True)
    >>> hooks = gb.autograd.graph.saved_tensors_hooks
    >>> with hooks(lambda tensor: tensor.numpy(), lambda packed: gb.from_numpy(packed)):
    ...     y = x.exp()
    >>> y.sum().backward()
    >>> x.grad
    tensor([1., 1., 1.])
    """

    _stack = _open
    _mask = _bits = _PACKS

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        op = type(self).__name__
        self._hooks: _Hooks = (
            function(op, "pack_hook", pack_hook),
            function(op, "unpack_hook", unpack_hook),
        )

    def _entry(self) -> Self:
        if refusals := _refusals.get():
            raise GradientError(refusals[-1]._message)
        return self


class disable_saved_tensors_hooks(_engine._StackBlock):
    """Refuse `saved_tensors_hooks` inside a block.

    Args:
        error_message: What the GradientError says.

    Raises:
        TypeError: The message is no string.

    >>> with gb.autograd.graph.disable_saved_tensors_hooks("not here"):
    ...     gb.ones(2).sum().item()
    2.0
    """

    _stack = _refusals
    _mask = 0

    def __init__(self, error_message: str) -> None:
        self._message = text("disable_saved_tensors_hooks", "error_message", error_message)


def _to_cpu(tensor: Tensor) -> tuple[_engine.device, Tensor]:
    return tensor.device, tensor.to("cpu")


def _back_from_cpu(packed: tuple[_engine.device, Tensor]) -> Tensor:
    device, tensor = packed
    return tensor.to(device, non_blocking=True)


def _to_pinned(tensor: Tensor) -> tuple[_engine.device, Tensor]:
    if tensor.device.type == "cpu":
        return _to_cpu(tensor)
    place = _engine.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    return tensor.device, place.copy_(tensor)


class save_on_cpu(saved_tensors_hooks):
    """Keep what ops save for backward in the CPU's memory, while it is not needed: a block.

    Each tensor is copied there and, in backward, back to its device. What lies on the CPU already
    stays where it is.

    Args:
        pin_memory: Keep them in pinned memory, from which the device copies by itself.
        device_type: Of tensors on which devices: "cuda"; those of others are copied, too.

    Raises:
        TypeError: `pin_memory` is neither True nor False.
        DeviceError: It is True, an op keeps a tensor, and there is no device to pin memory for.

    >>> x = gb.zeros(3, requires_grad=True)
    >>> with gb.autograd.graph.save_on_cpu():
    ...     y = x.exp().sum()
    >>> y.backward()
    >>> x.grad
    tensor([1., 1., 1.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        pins = flag("save_on_cpu", "pin_memory", pin_memory)
        text("save_on_cpu", "device_type", device_type)
        super().__init__(_to_pinned if pins else _to_cpu, _back_from_cpu)


class save_on_disk(saved_tensors_hooks):
    """Keep what ops save for backward in files, while it is not needed: a block.

    A file goes with the node that kept its tensor, when a backward pass has freed it, or its graph
    ends.

    Args:
        directory: Where to; by default where temporary files are.
        least_bytes: Smaller tensors stay in memory.

    Raises:
        TypeError: `directory` is no path, or `least_bytes` no integer.
        ValueError: `least_bytes` is negative.
        OSError: A file cannot be written.

    >>> x = gb.rand(1000, requires_grad=True)
    >>> with gb.autograd.graph.save_on_disk():
    ...     y = x.exp().sum()
    >>> (gradient,) = gb.autograd.grad(y, x)
    >>> gradient.shape
    (1000,)
    """

    def __init__(
        self, directory: str | os.PathLike[str] | None = None, least_bytes: int = 4096
    ) -> None:
        where = None if directory is None else path("save_on_disk", "directory", directory)
        least = count("save_on_disk", "least_bytes", least_bytes)
        super().__init__(partial(_to_disk, where, least), _back_from_disk)


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Let what ops save for backward be written in place afterwards: a block.

    Ops keep copies, so that backward sees what was there when they ran, whoever writes, and where
    backward runs: PyTorch copies at the first write, and wants backward inside the block. What
    several ops save of the same elements is copied once. The copies live as the graph does.

    >>> x = gb.full([2], 3.0, requires_grad=True)
    >>> with gb.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = (y**2).sum()
    ...     y = y.zero_()
    ...     z.backward()
    >>> x.grad
    tensor([6., 6.])
    """

    def __init__(self) -> None:
        self._copies: WeakValueDictionary[Any, Tensor] = WeakValueDictionary()
        super().__init__(self._copied, lambda copy: copy)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), ()  # a copy is a block of its own

    def _copied(self, tensor: Tensor) -> Tensor:
        block = tensor.untyped_storage().serial
        where = (tensor.dtype, tensor.storage_offset(), tensor.shape, tensor.stride())
        key = (block, tensor._version, *where)
        copy = self._copies.get(key)
        if copy is None:
            copy = self._copies[key] = tensor.clone()
        return copy


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Tell that a tensor was written in place, by something that no op here knows of.

    Backward then refuses what an op has saved of its memory before, as it does for other writes.

    Args:
        tensor: A tensor, or several.

    Raises:
        TypeError: It is neither.
        DisposedError: A tensor is disposed; the others are not told of either.

    >>> x = gb.ones(2)
    >>> gb.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    op = "increment_version"
    given = (
        [tensor]
        if is_really(tensor, Tensor)
        else list_of(Tensor, op, "tensor", tensor, of="tensors")
    )
    for one in given:
        _engine._require_living(one, op)
    with no_grad():
        for one in given:
            one.detach().unsqueeze(0)[:0].zero_()  # a write of no elements


def _to_disk(where: Path | None, least_bytes: int, tensor: Tensor) -> Tensor | _OnDisk:
    return tensor if tensor.nbytes < least_bytes else _OnDisk(tensor, where)


def _back_from_disk(kept: Tensor | _OnDisk) -> Tensor:
    return kept if is_really(kept, Tensor) else kept.read()


def _unlink_in(process: int, path: str) -> None:
    """Remove a file in the process that made it: a forked child's copy leaves it to its parent."""
    if os.getpid() == process:
        os.unlink(path)


class _OnDisk:
    """The elements of a tensor in a file of its own, which ends with this."""

    def __init__(self, tensor: Tensor, directory: os.PathLike[str] | None) -> None:
        from tempfile import mkstemp

        self._shape = tensor.shape
        self._dtype = tensor.dtype
        self._device = tensor.device
        handle, self._path = mkstemp(".saved", "garboard-", directory)
        weakref.finalize(self, _unlink_in, os.getpid(), self._path)
        with os.fdopen(handle, "wb") as file:
            tensor.to("cpu").contiguous().numpy().tofile(file)

    def read(self) -> Tensor:
        tensor = empty(self._shape, dtype=self._dtype)
        with open(self._path, "rb") as file:
            if file.readinto(tensor.numpy().reshape(-1).view("u1").data) != tensor.nbytes:
                raise OSError(
                    f"save_on_disk: {self._path} is shorter than it was; nobody may cut it"
                )
        return tensor.to(self._device)


if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

"""Modules on several devices: there is one device a module, which is called as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._engine import Tensor
from garboard._names.paths import publish_paths
from garboard.nn.module import Module

__all__ = [
    "DataParallel",
    "DistributedDataParallel",
    "data_parallel",
    "gather",
    "scatter",
    "scatter_kwargs",
]

_Device = int | str | _engine.device


def _refuse_several(op: str, device_ids: Sequence[_Device] | None) -> None:
    if device_ids is not None and len(device_ids) > 1:
        raise NotImplementedError(f"{op}: {len(device_ids)} devices; there is one device a module")


def data_parallel(
    module: Module,
    inputs: object,
    device_ids: Sequence[_Device] | None = None,
    output_device: _Device | None = None,
    dim: int = 0,
    module_kwargs: dict[str, object] | None = None,
) -> Tensor:
    """Call a module where its parameters are, as PyTorch does where there is one device.

    Args:
        module: The module.
        inputs: What it is called with: a tuple, or the only argument.
        device_ids: One device at most.
        output_device: Ignored.
        dim: Ignored.
        module_kwargs: What it is called with by name.

    Returns:
        What the module returns.

    Raises:
        NotImplementedError: Several devices.
        TypeError: No Module.

    >>> gb.nn.parallel.data_parallel(gb.nn.ReLU(), gb.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    check.of_type(Module, "data_parallel", "module", module)
    _refuse_several("data_parallel", device_ids)
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    made: Tensor = module(*given, **(module_kwargs or {}))
    return made


class DataParallel(Module):
    """Call a module where its parameters are, as PyTorch does where there is one device.

    For programs that wrap a model whether or not there are several: names in the state dict begin
    with "module.".

    Args:
        module: The module.
        device_ids: One device at most.
        output_device: Ignored.
        dim: Ignored.

    Raises:
        NotImplementedError: Several devices.
        TypeError: No Module.

    >>> model = gb.nn.DataParallel(gb.nn.Linear(2, 1))
    >>> model(gb.ones(3, 2)).shape, [*model.state_dict()]
    ((3, 1), ['module.weight', 'module.bias'])
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[_Device] | None = None,
        output_device: _Device | None = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        if not isinstance(module, Module):
            raise TypeError(
                f"DataParallel: module is of type {type(module).__name__}; a Module is needed"
            )
        _refuse_several("DataParallel", device_ids)
        self.module = module
        self.dim: int = check.integer("DataParallel", "dim", dim)
        self.device_ids: list[_Device] = [] if device_ids is None else list(device_ids)
        self.output_device = output_device

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """A module as each of several processes would call it, its gradients their mean: of the one.

    Args:
        module: The module, with a parameter that requires grad.
        device_ids: One device at most.
        output_device: Ignored.
        dim: Ignored.
        broadcast_buffers: Ignored, as all that follows: no other process is to be told.
        init_sync: Ignored.
        process_group: That of all by default.
        bucket_cap_mb: Ignored.
        find_unused_parameters: Ignored.
        check_reduction: Ignored.
        gradient_as_bucket_view: Ignored.
        static_graph: Ignored.
        named: Ignored.

    Raises:
        NotImplementedError: Several devices.
        RuntimeError: No parameter requires grad.
        TypeError: No Module.
        ValueError: No group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> model = gb.nn.parallel.DistributedDataParallel(gb.nn.Linear(2, 1))
    >>> model(gb.ones(3, 2)).shape, [*model.state_dict()]
    ((3, 1), ['module.weight', 'module.bias'])
    >>> gb.distributed.destroy_process_group()
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[_Device] | None = None,
        output_device: _Device | None = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: object = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        **named: object,
    ) -> None:
        super().__init__()
        op = "DistributedDataParallel"
        groups = import_module("garboard.distributed._group")  # whose package imports layers
        self.process_group: object = groups.of_group(f"{op}, or leave it out", process_group)
        check.of_type(Module, op, "module", module)
        _refuse_several(op, device_ids)
        if not any(it.requires_grad for it in module.parameters()):
            raise ArgumentError(f"{op}: no parameter requires grad; leave it out")
        self.module = module
        self.device_ids: list[_Device] | None = list(device_ids) if device_ids else None
        self.output_device = output_device
        self.device: _Device = next(module.parameters()).device
        self.dim = dim
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph = static_graph
        self.require_backward_grad_sync: bool = True
        self.require_forward_param_sync: bool = True

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Let gradients of the block be of this process alone, as they are.

        Returns:
            A context manager.

        >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
        >>> layer = gb.nn.Linear(1, 1, bias=False)
        >>> model = gb.nn.parallel.DistributedDataParallel(layer)
        >>> with model.no_sync():
        ...     model(gb.ones(1)).backward()
        >>> layer.weight.grad
        tensor([[1.]])
        >>> gb.distributed.destroy_process_group()
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @contextmanager
    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Iterator[None]:
        """Let processes end the block at different steps: there is one.

        Args:
            divide_by_initial_world_size: Ignored, as the others.
            enable: Ignored.
            throw_on_early_termination: Ignored.

        Returns:
            A context manager.

        >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
        >>> with gb.nn.parallel.DistributedDataParallel(gb.nn.Linear(1, 1)).join():
        ...     pass
        >>> gb.distributed.destroy_process_group()
        """
        yield


def scatter(inputs: Any, target_gpus: Sequence[_Device], dim: int = 0) -> list[Any]:
    """Return what is to be given to each of several devices: there is one, which gets all.

    Args:
        inputs: A tensor, or tensors in tuples, lists and dicts.
        target_gpus: The device.
        dim: Ignored.

    Returns:
        A list of `inputs`, their tensors moved to the device.

    Raises:
        NotImplementedError: Several devices.
        TypeError: What is given nests too deep.

    >>> gb.nn.parallel.scatter((gb.ones(1), 2), ["cpu"])
    [(tensor([1.]), 2)]
    """
    _refuse_several("scatter", target_gpus)
    (device,) = target_gpus
    try:
        return [_moved(inputs, device)]
    except RecursionError:
        raise TypeError("scatter: what is given nests too deep; flatten it") from None


def _moved(given: Any, device: _Device) -> Any:
    if isinstance(given, Tensor):
        return given.to(_engine.device(device))
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        return type(given)(*(_moved(it, device) for it in given))
    if isinstance(given, (tuple, list)):
        return type(given)([_moved(it, device) for it in given])
    if isinstance(given, dict):
        return type(given)((key, _moved(it, device)) for key, it in given.items())
    return given


def scatter_kwargs(
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    target_gpus: Sequence[_Device],
    dim: int = 0,
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Return what a module on each of several devices is to be called with: there is one.

    Args:
        inputs: The arguments by place.
        kwargs: The arguments by name.
        target_gpus: The device.
        dim: Ignored.

    Returns:
        The one by place, and the one by name, as `scatter` moves them.

    Raises:
        NotImplementedError: Several devices.

    >>> gb.nn.parallel.scatter_kwargs((1,), None, ["cpu"])
    (((1,),), ({},))
    """
    return tuple(scatter(inputs, target_gpus)), tuple(scatter(kwargs or {}, target_gpus))


def gather(outputs: Sequence[Any], target_device: _Device, dim: int = 0) -> Any:
    """Return what several devices returned as one: there is one.

    Args:
        outputs: What it returned, in a sequence.
        target_device: Where its tensors are moved.
        dim: Ignored.

    Raises:
        NotImplementedError: Several outputs.
        TypeError: `outputs` is no list, or nests too deep.

    >>> gb.nn.parallel.gather([gb.ones(1)], "cpu")
    tensor([1.])
    """
    if not isinstance(outputs, (list, tuple)):
        raise TypeError(f"gather: outputs of type {type(outputs).__name__}; a list is needed")
    if len(outputs) != 1:
        raise NotImplementedError(f"gather: {len(outputs)} outputs; there is one device a module")
    return scatter(outputs[0], [target_device])[0]


publish_paths(__name__)

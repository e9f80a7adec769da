"""Modules on several devices: there is one device a module, which is called as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check
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
    """Refuse: there is one process a program, so that nothing could be shared.

    Args:
        module: The module.
        options: What PyTorch's takes.
        named: Likewise.

    Raises:
        NotImplementedError: Always; ask `gb.distributed.is_initialized()` first.

    >>> gb.nn.parallel.DistributedDataParallel(gb.nn.Linear(1, 1))
    Traceback (most recent call last):
    NotImplementedError: DistributedDataParallel: there is one process a program; leave it out
    """

    def __init__(self, module: Module, *options: object, **named: object) -> None:
        raise NotImplementedError(
            "DistributedDataParallel: there is one process a program; leave it out"
        )


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

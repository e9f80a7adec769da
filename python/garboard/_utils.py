"""Private helpers of PyTorch's that programs of several gradients import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._engine import DeviceError, ShapeError, Tensor, _why_no_cuda, cat, empty
from garboard._engine import device as _device
from garboard._engine import dtype as _dtype
from garboard._settings import get_device_module
from garboard.cuda import current_device
from garboard.io._rebuilding import (
    _rebuild_parameter,
    _rebuild_parameter_with_state,
    _rebuild_tensor,
    _rebuild_tensor_v2,
)

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = [
    "_flatten_dense_tensors",
    "_rebuild_parameter",
    "_rebuild_parameter_with_state",
    "_rebuild_tensor",
    "_rebuild_tensor_v2",
    "_take_tensors",
    "_unflatten_dense_tensors",
]


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """Return the elements of tensors one behind the other, in one dim.

    >>> from garboard._utils import _flatten_dense_tensors
    >>> _flatten_dense_tensors([gb.ones(1, 2), gb.zeros(1)])
    tensor([1., 1., 0.])
    """
    flat = [check.tensor("_flatten_dense_tensors", "a tensor", it).reshape(-1) for it in tensors]
    return cat(flat) if flat else empty(0)


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return views of one dim, with the sizes of tensors one behind the other.

    Raises:
        ShapeError: It has more elements than the tensors, or fewer.

    >>> from garboard._utils import _unflatten_dense_tensors
    >>> _unflatten_dense_tensors(gb.arange(3), [gb.ones(1, 2), gb.zeros(1)])
    (tensor([[0, 1]]), tensor([2]))
    """
    counts = [it.numel() for it in tensors]
    if flat.ndim != 1 or flat.numel() != sum(counts):
        raise ShapeError(
            f"_unflatten_dense_tensors: sizes {[*flat.shape]}; [{sum(counts)}] are needed"
        )
    parts = flat.split(counts) if counts else ()
    return tuple(part.view(it.shape) for part, it in zip(parts, tensors, strict=True))


def _take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Yield tensors in lists of one dtype, each of as few bytes as reach no more than a limit.

    A tensor that is larger than the limit comes in a list of its own.

    >>> from garboard._utils import _take_tensors
    >>> [len(part) for part in _take_tensors([gb.zeros(2), gb.zeros(2), gb.zeros(9)], 16)]
    [2, 1]
    """
    waiting: dict[object, list[Tensor]] = {}
    for tensor in tensors:
        kind = check.tensor("_take_tensors", "a tensor", tensor).dtype
        part = waiting.setdefault(kind, [])
        if part and sum(it.nbytes for it in part) + tensor.nbytes > size_limit:
            yield part
            part = waiting[kind] = []
        part.append(tensor)
    yield from (part for part in waiting.values() if part)


def _element_size(dtype: DType) -> int:
    """Return the bytes of an element.

    Args:
        dtype: Of this dtype.

    Raises:
        TypeError: It is no dtype.

    >>> from garboard._utils import _element_size
    >>> _element_size(gb.float64)
    8
    """
    return check.of_type(_dtype, "_element_size", "dtype", dtype).itemsize


def _get_available_device_type() -> str | None:
    """Return the kind of devices beside the CPU that can be used now: "cuda", or None."""
    return None if _why_no_cuda() else "cuda"


def _get_device_module(device_type: str) -> ModuleType:
    """Return the module of a kind of devices: `gb.cuda` or `gb.cpu`."""
    return get_device_module(device_type)


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """Return the number of a CUDA device: of a number the same; -1 of the CPU.

    Args:
        device: A device, its name, or its number; None for the current one.
        optional: Take None.
        allow_cpu: Take the CPU.

    Raises:
        TypeError: `device` names no device.
        DeviceError: It is the CPU, and `allow_cpu` is False.

    >>> from garboard._utils import _get_device_index
    >>> _get_device_index("cuda:1"), _get_device_index("cpu", allow_cpu=True)
    (1, -1)
    """
    op = "_get_device_index"
    if isinstance(device, int) and not isinstance(device, bool):
        return device
    if device is None:
        if not check.flag(op, "optional", optional):
            raise TypeError(f"{op}: device None; a device, its name or its number is needed")
        return current_device()
    named = _device(device)
    if named.type == "cpu":
        if not check.flag(op, "allow_cpu", allow_cpu):
            raise DeviceError(f"{op}: the CPU; a CUDA device is needed")
        return -1
    return current_device() if named.index is None else int(named.index)

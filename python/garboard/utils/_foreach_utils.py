"""Tensors of optimizers in groups that one op could take at once: by device and dtype."""

from __future__ import annotations

from collections.abc import Sequence

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import items_of
from garboard._engine import Tensor, device, dtype

__all__ = ["_group_tensors_by_device_and_dtype"]

_Lists = list[list[Tensor | None]]
_Groups = dict[tuple[device | None, dtype | None], tuple[_Lists, list[int]]]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> _Groups:
    """Cut lists of tensors that belong together into lists of one device and dtype.

    Args:
        tensorlistlist: Lists of equal lengths; the first is of tensors, whose devices and dtypes
            count. Others may hold None.
        with_indices: Tell also from which places the tensors of a group are.

    Returns:
        A dict: by device and dtype the lists that are cut out, and the places, or no places.

    Raises:
        TypeError: What is in the lists is no Tensor.
        ValueError: No lists, or of different lengths.

    >>> from garboard.utils._foreach_utils import _group_tensors_by_device_and_dtype
    >>> groups = _group_tensors_by_device_and_dtype([[gb.ones(1), gb.arange(2)]], True)
    >>> [places for _, places in groups.values()]
    [[0], [1]]
    """
    op = "_group_tensors_by_device_and_dtype"
    numbered = check.flag(op, "with_indices", with_indices)
    lists = [items_of(it) for it in items_of(tensorlistlist)]
    if not lists or len({len(it) for it in lists}) != 1:
        raise ArgumentError(
            f"{op}: lists of lengths {[len(it) for it in lists]}; one length is needed"
        )
    groups: _Groups = {}
    for place, row in enumerate(zip(*lists, strict=True)):
        first = check.tensor(op, "a tensor", row[0])
        for it in row[1:]:
            if it is not None:
                check.tensor(op, "a tensor", it)
        found, places = groups.setdefault((first.device, first.dtype), ([[] for _ in lists], []))
        for column, it in zip(found, row, strict=True):
            column.append(it)
        if numbered:
            places.append(place)
    return groups


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Devices whose optimizers could take many tensors at once."""
    return ["cuda"]


_get_fused_kernels_supported_devices = _get_foreach_kernels_supported_devices


def _device_has_foreach_support(device: device) -> bool:
    """Whether a device is one of them."""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: Sequence[Tensor | None], device: device) -> bool:
    """Whether tensors are all Tensors and no subclass, on one of them."""
    return _device_has_foreach_support(device) and all(
        it is None or type(it) is Tensor for it in tensors
    )

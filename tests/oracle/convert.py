"""Arguments and results, from PyTorch's to garboard's: same bytes, same strides."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import torch

__all__ = ["NoCounterpartError", "is_tensor", "ours", "theirs", "walk"]

_DTYPES = {
    torch.bool: gb.bool,
    torch.uint8: gb.uint8,
    torch.int8: gb.int8,
    torch.int16: gb.int16,
    torch.int32: gb.int32,
    torch.int64: gb.int64,
    torch.float16: gb.float16,
    torch.bfloat16: gb.bfloat16,
    torch.float32: gb.float32,
    torch.float64: gb.float64,
    torch.complex64: gb.complex64,
    torch.complex128: gb.complex128,
}


_MOST_DIMS = 64  # of an array of NumPy's


class NoCounterpartError(Exception):
    """A sample holds what garboard has not: a sparse layout, say."""


def ours(given: Any, *, requires_grad: bool = False) -> Any:
    """Return what garboard takes for an argument of PyTorch's."""
    if isinstance(given, torch.Tensor):
        return _tensor(given, requires_grad and given.requires_grad)
    if isinstance(given, torch.dtype):
        if given not in _DTYPES:
            raise NoCounterpartError(str(given))
        return _DTYPES[given]
    if isinstance(given, torch.device):
        return "cpu"
    if isinstance(given, torch.Size):
        return tuple(given)
    if isinstance(given, (torch.layout, torch.memory_format, torch.Generator)):
        raise NoCounterpartError(str(given))
    if callable(given) and getattr(torch.nn.functional, _name_of(given), None) is given:
        return getattr(gb.nn.functional, _name_of(given))
    if isinstance(given, (list, tuple)):
        items = [ours(it, requires_grad=requires_grad) for it in given]
        return type(given)(items) if type(given) in (list, tuple) else tuple(items)
    if isinstance(given, dict):
        return {key: ours(it, requires_grad=requires_grad) for key, it in given.items()}
    return given


def _name_of(given: Any) -> str:
    return str(getattr(given, "__name__", ""))


def _tensor(given: torch.Tensor, requires_grad: bool) -> gb.Tensor:
    if given.layout is not torch.strided or given.dtype not in _DTYPES:
        raise NoCounterpartError(f"{given.layout} of {given.dtype}")
    if given.device.type != "cpu":
        raise NoCounterpartError(str(given.device))
    if given.ndim > _MOST_DIMS:
        raise NoCounterpartError(f"{given.ndim} dims")
    plain = given.detach().resolve_conj().resolve_neg()
    count = plain.untyped_storage().nbytes() // plain.itemsize
    is_part = plain.numel() and (count != plain.numel() or not plain.is_contiguous())
    if not is_part:
        made = _copied(plain)
    else:  # what lies around it, too: some ops read there
        memory = torch.empty(0, dtype=plain.dtype).set_(plain.untyped_storage())
        made = _copied(memory).as_strided(
            tuple(plain.shape), plain.stride(), plain.storage_offset()
        )
    return made.detach().requires_grad_(True) if requires_grad else made


def _copied(plain: torch.Tensor) -> gb.Tensor:
    wide = plain.float() if plain.dtype is torch.bfloat16 else plain
    whole = wide.contiguous().numpy().copy()
    made = gb.from_numpy(whole) if whole.ndim else gb.tensor(whole)
    return made.to(_DTYPES[plain.dtype])


def theirs(given: Any) -> Any:
    """Return an array for a tensor of either library; nests keep their form."""
    if isinstance(given, torch.Tensor):
        plain = given.detach().resolve_conj().resolve_neg()
        return (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy(force=True)
    if isinstance(given, gb.Tensor):
        plain = given.detach()
        return np.array((plain.float() if plain.dtype == gb.bfloat16 else plain).numpy())
    if isinstance(given, (list, tuple)):
        return [theirs(it) for it in given]
    return given


def is_tensor(given: Any) -> bool:
    """Whether it is a tensor of either library."""
    return isinstance(given, (torch.Tensor, gb.Tensor))


def walk(given: Any) -> list[Any]:
    """Return the tensors of a nest, in order."""
    if is_tensor(given):
        return [given]
    if isinstance(given, dict):
        given = list(given.values())
    return [it for part in given for it in walk(part)] if isinstance(given, (list, tuple)) else []

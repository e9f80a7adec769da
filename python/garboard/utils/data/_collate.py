"""One batch of many samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from copy import copy
from re import compile as pattern_of
from typing import Any

from garboard import _engine
from garboard._arguments.given import items_of, keys_of, refuse_unless_list
from garboard._engine import IndexOutOfRangeError, ShapeError, Tensor

__all__ = [
    "collate",
    "collate_float_fn",
    "collate_int_fn",
    "collate_str_fn",
    "collate_tensor_fn",
    "default_collate",
    "default_collate_err_msg_format",
    "default_collate_fn_map",
    "default_convert",
    "np_str_obj_array_pattern",
]

_DEEPEST = 64

_Functions = Mapping[Any, Callable[..., Any]]

# Of NumPy's dtypes whose arrays become no tensors: texts and objects.
np_str_obj_array_pattern = pattern_of("[SaUO]")

default_collate_err_msg_format = (
    "default_collate: a sample of type {}; tensors, numbers, arrays, or tuples, lists and dicts of "
    "them are needed, or a collate_fn of yours"
)


def collate_tensor_fn(batch: Sequence[Tensor], *, collate_fn_map: object = None) -> Tensor:
    return _engine.stack(list(batch))


def collate_float_fn(batch: Sequence[float], *, collate_fn_map: object = None) -> Tensor:
    return _engine.tensor(list(batch), dtype=_engine.float64)


def collate_int_fn(batch: Sequence[int], *, collate_fn_map: object = None) -> Tensor:
    return _engine.tensor(list(batch))


def collate_str_fn(batch: Sequence[Any], *, collate_fn_map: object = None) -> Sequence[Any]:
    return batch


# By the type of a sample, what makes a batch; programs add types of their own.
default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: collate_tensor_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Sequence[Any]) -> Any:
    """Make one batch of samples that are alike: tensors are stacked along a new dim 0.

    Numbers become a tensor, of float64 or int64, and texts stay texts; of tuples, lists and dicts
    each part is collated by itself. A batch of tuples is a list, as in PyTorch, and texts in one
    come as a tuple; other sequences and mappings keep their type where it can be made anew.

    Args:
        batch: A list of samples, or an array, whose rows are they.

    Returns:
        What a sample is, a list for a tuple without names, with tensors of one more dim for its
        tensors, arrays and numbers.

    Raises:
        TypeError: A sample is of a type that cannot be batched; give the loader a `collate_fn`.
        ValueError: No samples, sequences or dicts that differ, or a nest that holds itself.
        ShapeError: Tensors of different sizes, or sequences of different lengths.

    >>> gb.utils.data.default_collate([(gb.zeros(2), 1), (gb.ones(2), 0)])
    [tensor([[0., 0.],
            [1., 1.]]), tensor([1, 0])]
    """
    return _collated(_samples_of("default_collate", batch), default_collate_fn_map, 0)


def collate(batch: Sequence[Any], *, collate_fn_map: _Functions | None = None) -> Any:
    """Make one batch as `default_collate` does, by functions of one's own for some types."""
    return _collated(_samples_of("collate", batch), collate_fn_map or {}, 0)


def _samples_of(op: str, batch: Any) -> Sequence[Any]:
    if hasattr(batch, "__array_interface__") and getattr(batch, "shape", None):
        return list(batch)  # a dataset may give a batch at once
    refuse_unless_list(op, "batch", batch, "samples")
    return items_of(batch)


def _function_for(sample: Any, functions: _Functions) -> Callable[..., Any] | None:
    found = functions.get(type(sample))
    if found is not None:
        return found
    return next((it for kind, it in functions.items() if isinstance(sample, kind)), None)


def _collated(samples: Sequence[Any], functions: _Functions, depth: int) -> Any:
    if depth > _DEEPEST:
        raise ValueError(
            f"default_collate: samples nested more than {_DEEPEST} deep; a collate_fn of yours is "
            "needed"
        )
    if not samples:
        raise IndexOutOfRangeError("default_collate: no samples; at least one is needed")
    first = samples[0]
    function = _function_for(first, functions)
    if function is not None:
        return function(samples, collate_fn_map=functions)
    if isinstance(first, Mapping):
        keys = keys_of(object, "default_collate", "a sample", first, "parts")
        for place, sample in enumerate(samples):
            if not isinstance(sample, Mapping) or any(key not in sample for key in keys):
                raise ValueError(
                    f"default_collate: sample {place} lacks a key of the first; samples with the "
                    "same keys are needed"
                )
        parts = {key: _collated([it[key] for it in samples], functions, depth + 1) for key in keys}
        return _as_mapping(first, parts)
    if isinstance(first, Sequence) and not isinstance(first, (str, bytes)):
        for place, sample in enumerate(samples):
            if not isinstance(sample, Sequence) or len(sample) != len(first):
                raise ShapeError(
                    f"default_collate: sample {place} is no sequence of {len(first)}, as the first "
                    "is; samples that are alike are needed"
                )
        pairs = zip(*samples, strict=True)
        return _as_sequence(first, [_collated(part, functions, depth + 1) for part in pairs])
    if hasattr(first, "__array_interface__"):
        return _engine.stack([_engine.as_tensor(sample) for sample in samples])
    raise TypeError(default_collate_err_msg_format.format(type(first).__name__))


def _as_mapping(first: Mapping[Any, Any], parts: dict[Any, Any]) -> Any:
    """The parts in a mapping of the type of the first, with what else it holds."""
    if type(first) is dict:
        return parts
    try:
        if not isinstance(first, MutableMapping):
            return type(first)(parts)  # type: ignore[call-arg]
        found = copy(first)
        found.update(parts)
    except TypeError:
        return parts
    return found


def _as_sequence(first: Sequence[Any], parts: list[Any]) -> Any:
    """The parts in a sequence of the type of the first: a list for a tuple without names."""
    if hasattr(first, "_fields"):
        return type(first)(*parts)
    if isinstance(first, tuple) or type(first) is list:
        return parts
    try:
        if not isinstance(first, MutableSequence):
            return type(first)(parts)  # type: ignore[call-arg]
        found = copy(first)
        for place, part in enumerate(parts):
            found[place] = part
    except TypeError:
        return parts
    return found


def default_convert(data: Any) -> Any:
    """Make tensors of the arrays in a sample; what a loader does without batches.

    Args:
        data: A sample: anything, or a nest of tuples, lists and dicts of it.

    Returns:
        The same nest with tensors for its arrays, over the same memory; a list for a tuple without
        names, as in PyTorch.

    Raises:
        ValueError: A nest that holds itself.

    >>> import numpy as np
    >>> gb.utils.data.default_convert({"x": np.zeros(2), "name": "a"})
    {'x': tensor([0., 0.], dtype=garboard.float64), 'name': 'a'}
    """
    return _converted(data, 0)


def _converted(data: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise ValueError(
            f"default_convert: a sample nested more than {_DEEPEST} deep; one that ends is needed"
        )
    if isinstance(data, (Tensor, str, bytes)):
        return data
    if hasattr(data, "__array_interface__"):
        is_text = getattr(getattr(data, "dtype", None), "kind", "") in "SUO"
        return data if is_text else _engine.as_tensor(data)
    if isinstance(data, Mapping):
        keys = keys_of(object, "default_convert", "a sample", data, "parts")
        return _as_mapping(data, {key: _converted(data[key], depth + 1) for key in keys})
    if isinstance(data, Sequence):
        return _as_sequence(data, [_converted(part, depth + 1) for part in data])
    return data

"""One batch of many samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from garboard import _engine
from garboard._arguments.given import items_of, keys_of, refuse_unless_list
from garboard._engine import Tensor

__all__ = ["default_collate", "default_convert"]

_DEEPEST = 64


def default_collate(samples: Sequence[Any]) -> Any:
    """Make one batch of samples that are alike: tensors are stacked along a new dim 0.

    Numbers become a tensor, of float64 or int64, and texts stay texts; of tuples, lists and dicts
    each part is collated by itself. A batch of tuples is a list, as in PyTorch, and texts in one
    come as a tuple.

    Args:
        samples: A list of them.

    Returns:
        What a sample is, a list for a tuple without names, with tensors of one more dim for its
        tensors, arrays and numbers.

    Raises:
        TypeError: A sample is of a type that cannot be batched; give the loader a `collate_fn`.
        ValueError: No samples, dicts of different keys, or a nest that holds itself.
        ShapeError: Tensors of different sizes.

    >>> gb.utils.data.default_collate([(gb.zeros(2), 1), (gb.ones(2), 0)])
    [tensor([[0., 0.],
            [1., 1.]]), tensor([1, 0])]
    """
    refuse_unless_list("default_collate", "samples", samples, "samples")
    return _collated(items_of(samples), 0)


def _collated(samples: Sequence[Any], depth: int) -> Any:
    if depth > _DEEPEST:
        raise ValueError(
            f"default_collate: samples nested more than {_DEEPEST} deep; a collate_fn of yours is "
            "needed"
        )
    if not samples:
        raise ValueError("default_collate: no samples; at least one is needed")
    first = samples[0]
    if isinstance(first, Tensor):
        return _engine.stack(list(samples))
    if isinstance(first, float):
        return _engine.tensor(list(samples), dtype=_engine.float64)
    if isinstance(first, (bool, int)):
        return _engine.tensor(list(samples))
    if isinstance(first, (str, bytes)):
        return samples
    if isinstance(first, (tuple, list)):
        for place, sample in enumerate(samples):
            if not isinstance(sample, (tuple, list)) or len(sample) != len(first):
                raise ValueError(
                    f"default_collate: sample {place} is no sequence of {len(first)}, as the first "
                    "is; samples that are alike are needed"
                )
        parts = [_collated(part, depth + 1) for part in zip(*samples, strict=True)]
        if hasattr(first, "_fields"):
            return type(first)(*parts)
        return parts if isinstance(first, tuple) else type(first)(parts)
    if isinstance(first, Mapping):
        keys = keys_of(object, "default_collate", "a sample", first, "parts")
        for place, sample in enumerate(samples):
            if not isinstance(sample, Mapping) or any(key not in sample for key in keys):
                raise ValueError(
                    f"default_collate: sample {place} lacks a key of the first; samples with the "
                    "same keys are needed"
                )
        return {key: _collated([it[key] for it in samples], depth + 1) for key in keys}
    if hasattr(first, "__array_interface__"):
        return _engine.stack([_engine.as_tensor(sample) for sample in samples])
    raise TypeError(
        f"default_collate: a sample of type {type(first).__name__}; tensors, numbers, arrays, or "
        "tuples, lists and dicts of them are needed, or a collate_fn of yours"
    )


def default_convert(data: Any) -> Any:
    """Make tensors of the arrays in a sample; what a loader does without batches.

    Args:
        data: A sample: anything, or a nest of tuples, lists and dicts of it.

    Returns:
        The same nest with tensors for its arrays, over the same memory.

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
        return _engine.as_tensor(data)
    if isinstance(data, (tuple, list)):
        parts = [_converted(part, depth + 1) for part in data]
        return type(data)(*parts) if hasattr(data, "_fields") else type(data)(parts)
    if isinstance(data, Mapping):
        keys = keys_of(object, "default_convert", "a sample", data, "parts")
        return {key: _converted(data[key], depth + 1) for key in keys}
    return data

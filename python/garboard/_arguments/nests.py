"""The tensors of a nest of lists, tuples, deques and dicts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from garboard._arguments.layouts import is_sparse
from garboard._engine import Tensor

__all__ = ["tensors_in"]

_DEEPEST = 16


def tensors_in(value: object, depth: int = 0) -> Iterator[Tensor]:
    """Yield the tensors of a nest of lists, tuples, deques and dicts; of a sparse one its parts."""
    if is_sparse(value):
        yield from value._scope_members()
    elif isinstance(value, Tensor):
        yield value
    elif depth < _DEEPEST and isinstance(value, (list, tuple, deque)):
        for part in value:
            yield from tensors_in(part, depth + 1)
    elif depth < _DEEPEST and isinstance(value, Mapping):
        for part in value.values():
            yield from tensors_in(part, depth + 1)

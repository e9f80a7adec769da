"""How PyTorch's programs name layouts.

An op that makes, copies or converts a tensor takes `memory_format`, `layout` and `pin_memory`, and
gives the elements that it gives without them; in pinned memory where `pin_memory` is True, and in a
sparse tensor where `layout` is a sparse one and zeros are all that is made. A copy,
and what is made like a tensor, has its dims in that one's order, or by `memory_format` row-major.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeGuard, TypeVar

__all__ = [
    "Named",
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "is_really",
    "is_sparse",
    "layout",
    "legacy_contiguous_format",
    "memory_format",
    "preserve_format",
    "sparse_bsc",
    "sparse_bsr",
    "sparse_coo",
    "sparse_csc",
    "sparse_csr",
    "strided",
]

if TYPE_CHECKING:
    from typing_extensions import TypeIs

T = TypeVar("T", bound="Named")
_K = TypeVar("_K")


class Named:
    """A constant with a name; `copy` and `pickle` give the constant itself."""

    __slots__ = ("_name",)
    _name: str

    def __new__(cls) -> Self:
        raise TypeError(f"{cls.__name__}: no more can be made; use those that garboard has")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}: its attributes cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}: its attributes cannot be deleted")

    def __repr__(self) -> str:
        return f"garboard.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class memory_format(Named):
    """In which order elements are to lie: here as those of a tensor they are like, or row-major.

    There are `contiguous_format`, `preserve_format`, `channels_last` and `channels_last_3d`.

    >>> gb.channels_last
    garboard.channels_last
    """

    __slots__ = ()


class layout(Named):
    """How elements are stored: `strided`, or one of those of a SparseTensor, as `sparse_coo`.

    >>> gb.strided
    garboard.strided
    """

    __slots__ = ()


class _SparseLayout(layout):
    """A layout that functions which make tensors leave to the package of sparse tensors."""

    __slots__ = ()

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Answer a function that was given one of these."""
        return import_module("garboard.sparse._layouts").answer(func, args, dict(kwargs or {}))


def _constant(kind: type[T], name: str) -> T:
    made = object.__new__(kind)
    object.__setattr__(made, "_name", name)
    return made


contiguous_format: memory_format = _constant(memory_format, "contiguous_format")
legacy_contiguous_format: memory_format = contiguous_format
preserve_format: memory_format = _constant(memory_format, "preserve_format")
channels_last: memory_format = _constant(memory_format, "channels_last")
channels_last_3d: memory_format = _constant(memory_format, "channels_last_3d")
strided: layout = _constant(layout, "strided")
sparse_coo: layout = _constant(_SparseLayout, "sparse_coo")
sparse_csr: layout = _constant(_SparseLayout, "sparse_csr")
sparse_csc: layout = _constant(_SparseLayout, "sparse_csc")
sparse_bsr: layout = _constant(_SparseLayout, "sparse_bsr")
sparse_bsc: layout = _constant(_SparseLayout, "sparse_bsc")


def is_really(given: object, wanted: type[_K] | tuple[type[_K], ...]) -> TypeIs[_K]:
    """Tell whether an object is of a type, which a sparse tensor is not of for saying so."""
    return issubclass(type(given), wanted) or (isinstance(given, wanted) and not is_sparse(given))


def is_sparse(given: object) -> TypeGuard[Any]:
    """Tell whether it is a tensor by coordinates; there are none before their module is there."""
    module = sys.modules.get("garboard.sparse._tensor")
    return module is not None and isinstance(given, module.SparseTensor)

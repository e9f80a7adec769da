"""Sparse tensors in files: their places, values and sizes, which are checked when they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garboard._arguments.layouts import is_sparse
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard.io._errors import FileError

__all__ = ["kept_sparse", "read_sparse", "sparse_of_parts"]


def kept_sparse(value: Any, path: str, keep: Callable[[str, Tensor], str]) -> list[Any] | None:
    """Return the JSON of a sparse tensor, or None of anything else; `keep` takes its parts."""
    if not is_sparse(value):
        return None
    layout = str(value.layout).rpartition(".")[2]
    by_places = layout == "sparse_coo"
    names = ("_indices", "_values") if by_places else (*value._names, "values")
    parts = {name.strip("_").removesuffix("_indices"): getattr(value, name)() for name in names}
    below = f"{path}." if path else ""
    kept = [keep(f"{below}{name}", part) for name, part in parts.items()]
    flags = [not by_places or value.is_coalesced(), value.requires_grad]
    return ["r", layout, kept, list(value.shape), [int(it) for it in flags]]


def read_sparse(tree: list[Any], tensor_named: Callable[[str], Tensor]) -> Any:
    """Return what `kept_sparse` wrote.

    Raises:
        FileError: It wrote something else.
    """
    _, layout, names, sizes, (is_coalesced, requires_grad) = tree
    parts = [tensor_named(str(name)) for name in names]
    found = sparse_of_parts(str(layout), parts, sizes, bool(is_coalesced))
    return found.requires_grad_() if requires_grad else found


def sparse_of_parts(layout: str, parts: Any, sizes: Any, is_coalesced: bool) -> Any:
    """Return a sparse tensor of the places and values that a file gives.

    Raises:
        FileError: They are no tensors, or do not fit each other.
    """
    from garboard import sparse

    makers: dict[str, tuple[int, Callable[..., Any]]] = {
        "sparse_coo": (2, sparse.sparse_coo_tensor),
        "sparse_csr": (3, sparse.sparse_csr_tensor),
        "sparse_csc": (3, sparse.sparse_csc_tensor),
        "sparse_bsr": (3, sparse.sparse_bsr_tensor),
        "sparse_bsc": (3, sparse.sparse_bsc_tensor),
    }
    count, make = makers.get(layout, (-1, sparse.sparse_coo_tensor))
    if len(parts) != count or not all(isinstance(it, Tensor) for it in parts):
        raise FileError(
            f"load: a sparse tensor of layout {layout[:40]} and {len(parts)} parts; sparse_coo "
            "of indices and values, or sparse_csr and its kin of rows, columns and values, are "
            "needed"
        )
    flags = {"is_coalesced": is_coalesced} if layout == "sparse_coo" else {}
    try:
        return make(*parts, sizes, **flags)
    except (DTypeError, ShapeError, TypeError) as error:
        raise FileError(f"load: a sparse tensor whose parts do not fit ({error})") from None

"""Writing files, each whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DisposedError, Tensor
from garboard._whole_files import write_whole
from garboard.io._dtypes import NAMES, raw_bytes
from garboard.io._tree import encoded
from garboard.nn.parameter import is_lazy

__all__ = ["write"]

_TREE = "garboard.tree"


def write(obj: object, f: Any) -> None:
    """Write `obj` to a path or a binary file."""
    if hasattr(f, "write"):
        _write_safetensors(obj, f)
        if hasattr(f, "flush"):
            f.flush()  # programs read the file by its name while it is open
        return
    path = check.path("save", "f", f)
    kind = _write_safetensors
    if path.suffix in (".npy", ".npz"):
        kind = _write_npy if path.suffix == ".npy" else _write_npz
    write_whole(path, lambda file: kind(obj, file), is_durable=True)


def _dense(tensor: Tensor) -> Tensor:
    with no_grad():
        return tensor.detach().cpu().contiguous()


class _Kept:
    """The tensors of a nest by name; the same memory in the same form has one name."""

    def __init__(self) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._names: dict[tuple[Any, ...], str] = {}

    def keep(self, path: str, tensor: Tensor) -> str:
        if tensor.is_disposed:
            raise DisposedError(f"save: {path or 'the tensor'} is disposed; save it before that")
        if is_lazy(tensor):
            tensor = Tensor.detach(tensor)  # without elements, for it has no sizes yet
        form: tuple[Any, ...] = (id(tensor),)
        if tensor.numel():
            where = tensor.data_ptr(), str(tensor.device), str(tensor.dtype)
            form = *where, tuple(tensor.shape), tuple(tensor.stride())
        if form in self._names:
            return self._names[form]
        name = path or "tensor"
        while name in self.tensors or name == "__metadata__":
            name += "_"
        self.tensors[name] = tensor
        self._names[form] = name
        return name


def _write_safetensors(obj: object, file: Any) -> None:
    kept = _Kept()
    tree = encoded(obj, "", 0, kept.keep)
    header: dict[str, Any] = {"__metadata__": {"format": "pt", _TREE: json.dumps(tree)}}
    start = 0
    # The widest first: so all begin where their dtype wants it.
    ordered = sorted(kept.tensors.items(), key=lambda it: -it[1].itemsize)
    for name, tensor in ordered:
        end = start + tensor.numel() * tensor.itemsize
        kind = NAMES[str(tensor.dtype).rpartition(".")[2]][0]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [start, end]}
        start = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    for _, tensor in ordered:
        dense = _dense(tensor)
        with raw_bytes(dense) as raw:
            file.write(raw)


def _write_npy(obj: Any, file: Any) -> None:
    import numpy as np

    np.save(file, _dense(check.tensor("save", "obj", obj)).numpy(), allow_pickle=False)


def _write_npz(obj: Any, file: Any) -> None:
    import numpy as np

    given = check.of_type(Mapping, "save", "obj", obj)  # type: ignore[type-abstract]
    arrays = {
        check.text("save", "a key", name): _dense(check.tensor("save", "a value", it)).numpy()
        for name, it in given.items()
    }
    np.savez(file, allow_pickle=False, **arrays)

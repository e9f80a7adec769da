"""Objects of any class in a file: pickled, their tensors beside them, and read when trusted.

Reading a pickle runs what it names, so `load` does it with `weights_only=False`, or where it names
nothing but what the program has called safe. The tensors of such an object lie in the file as all
others do, where everybody can read them.
"""

from __future__ import annotations

import pickle
from base64 import b64decode, b64encode
from collections.abc import Callable
from io import BytesIO
from typing import Any

from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard._ops.exchange import attributes_on
from garboard.io._errors import FileError, UnsafeFileError
from garboard.nn._module._tree import Tree
from garboard.nn.parameter import Parameter, is_lazy

__all__ = ["SAFE", "Tensors", "pickled", "unpickled"]

# A letter, the tensor's name, whether it requires grad, and what a program has set on it, if so.
_Kept = tuple[str, str, bool] | tuple[str, str, bool, dict[str, Any]]


# What the program has called safe, by the names that pickles have for it.
SAFE: dict[str, Any] = {}


class Tensors:
    """What names the tensors of a file, and says whether all its pickles may be read.

    An optimizer's parameters are its module's, though each is pickled by itself: they are made once
    a file.
    """

    def __init__(self, tensor_named: Callable[[str], Tensor], is_trusted: bool) -> None:
        self._named, self.is_trusted = tensor_named, is_trusted
        self.made: dict[tuple[str, str, bool], Tensor] = {}

    def __call__(self, name: str) -> Tensor:
        """Return the tensor of that name."""
        return self._named(name)


class _Pickler(pickle.Pickler):
    def __init__(self, file: BytesIO, path: str, keep: Callable[[str, Tensor], str]) -> None:
        super().__init__(file, protocol=4)
        self._path, self._keep, self._count = path, keep, 0

    def persistent_id(self, obj: Any) -> _Kept | None:
        if not is_really(obj, Tensor) or is_lazy(obj):
            return None
        letter = "p" if isinstance(obj, Parameter) else "t"
        name = self._keep(f"{self._path}.{self._count}", obj)
        self._count += 1
        known = letter, name, obj.requires_grad
        return (*known, given) if (given := attributes_on(obj)) else known


class _Unpickler(pickle._Unpickler):
    """Python's own, not the one in C: to that, five bytes of a file may ask for 64 GiB of memo."""

    def __init__(self, text: bytes, tensor_named: Tensors) -> None:
        super().__init__(BytesIO(text))
        self._named = tensor_named

    def find_class(self, module_name: str, global_name: str) -> Any:
        if self._named.is_trusted:
            return super().find_class(module_name, global_name)
        name = f"{module_name}.{global_name}"
        if name not in SAFE:
            raise UnsafeFileError(
                f"load: the file asks for {name[:120]}, pickled, which could run any code; if you "
                "trust it, load it with weights_only=False, or name it to "
                "serialization.safe_globals()"
            )
        return SAFE[name]

    def persistent_load(self, pid: _Kept) -> Tensor:
        known = self._named.made
        letter, name, requires_grad = kept = pid[:3]
        if kept not in known:
            found = self._named(name)
            made = Parameter(found, requires_grad) if letter == "p" else found
            known[kept] = made.requires_grad_() if requires_grad else made
            for attribute, value in (pid[3] if len(pid) > 3 else {}).items():
                setattr(known[kept], attribute, value)
        return known[kept]


def pickled(value: Any, path: str, keep: Callable[[str, Tensor], str]) -> list[Any]:
    """Return the JSON of an object of any class; `keep` takes its tensors.

    Raises:
        TypeError: It cannot be pickled.
    """
    kind = type(value)
    file = BytesIO()
    try:
        _Pickler(file, path or kind.__name__, keep).dump(value)
    except (AttributeError, pickle.PicklingError, RecursionError, TypeError) as error:
        advice = "tensors, numbers, texts, and dicts, lists and tuples of them are needed"
        if isinstance(value, Tree) or hasattr(value, "state_dict"):
            advice = "save its state_dict()"
        what = f"save: {path or 'what is given'} is {shown(value)}, which cannot be pickled"
        raise TypeError(f"{what} ({error}); {advice}") from error
    return ["x", b64encode(file.getvalue()).decode(), f"{kind.__module__}.{kind.__qualname__}"]


def unpickled(tree: list[Any], tensor_named: Tensors) -> Any:
    """Return the object that `pickled` wrote, where what it names is trusted.

    Raises:
        FileError: It is not, or is not there.
    """
    kind = str(tree[2])[:80] if len(tree) > 2 else "an object"
    try:
        return _Unpickler(b64decode(tree[1], validate=True), tensor_named).load()
    except (FileError, MemoryError):
        raise
    except Exception as error:  # what the classes' own code raises
        raise FileError(
            f"load: {kind} could not be made ({type(error).__name__}: {error}); the program that "
            "loads it needs the classes of the one that saved it"
        ) from error

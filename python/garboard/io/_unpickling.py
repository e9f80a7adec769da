"""An unpickler for PyTorch's files that runs no code of theirs.

It is a small machine of its own: it knows the opcodes that PyTorch writes, the names that tensors
and containers need, and nothing else. Names are tokens; what calling one does stands here. Its work
and memory are bounded by the length of the pickle.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from garboard import _engine
from garboard._engine import Tensor
from garboard.io._dtypes import NAMES
from garboard.io._errors import FileError
from garboard.nn.parameter import Parameter

__all__ = ["TorchUnpickler"]


class _Name(NamedTuple):
    """A name of a module, as the file gives it."""

    module: str
    name: str


class _Mark:
    """Where a list of arguments begins on the stack."""


_MARK = _Mark()
_KEYS = (str, int, float, bool, type(None))
_MOST_DIMS = 8


def _refused(what: _Name) -> FileError:
    advice = "load it in PyTorch, and save tensors, numbers and texts alone"
    if what.module.startswith("numpy"):
        advice = "make its NumPy numbers plain ones, with .item(), before it is saved"
    elif "optim" not in what.module and what.module.startswith(("torch.nn", "__main__")):
        advice = "save module.state_dict() instead of the module"
    return FileError(
        f"load: the file asks for {what.module[:80]}.{what.name[:80]}, which could run any code; "
        f"{advice}"
    )


class TorchUnpickler:
    """Reads one pickle. `storage(kind, key, count)` returns the elements that a tensor looks at."""

    def __init__(
        self, text: bytes, storage: Callable[[str, str, int], Tensor], device: Any
    ) -> None:
        self._text, self._at = text, 0
        self._storage, self._device = storage, device
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def load(self) -> Any:
        """Return what the pickle makes.

        Raises:
            FileError: It is broken, or asks for anything else.
        """
        try:
            while (code := self._take(1)) != b".":
                act = _ACTS.get(code)
                if act is None:
                    raise FileError(f"load: the opcode {code[0]}, which PyTorch does not write")
                act(self)
            return self._plain(self._stack[-1])
        except FileError:
            raise
        except (IndexError, KeyError, TypeError, ValueError, struct.error, OverflowError) as error:
            raise FileError(f"load: a broken pickle ({type(error).__name__})") from None

    def _plain(self, value: Any) -> Any:
        if isinstance(value, _Name):
            return self._value_of(value)
        return value

    # Reading

    def _take(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._text):
            raise FileError("load: a pickle that ends too early; the file is cut off")
        found = self._text[self._at : end]
        self._at = end
        return found

    def _number(self, form: str) -> int:
        found: int = struct.unpack(form, self._take(struct.calcsize(form)))[0]
        return found

    def _line(self) -> str:
        end = self._text.index(b"\n", self._at)
        return self._take(end + 1 - self._at)[:-1].decode()

    def _since_mark(self) -> list[Any]:
        place = len(self._stack) - 1
        while self._stack[place] is not _MARK:
            place -= 1
            if place < 0:
                raise FileError("load: a broken pickle (no mark)")
        found = self._stack[place + 1 :]
        del self._stack[place:]
        return found

    # Acting

    def _push_text(self, form: str) -> None:
        self._stack.append(self._take(self._number(form)).decode("utf-8", "surrogatepass"))

    def _push_integer(self, form: str) -> None:
        count = self._number(form)
        self._stack.append(int.from_bytes(self._take(count), "little", signed=True))

    def _name(self, module: str, name: str) -> None:
        found = _Name(module, name)
        if found not in _CALLS and not self._is_value(found):
            raise _refused(found)
        self._stack.append(found)

    def _is_value(self, name: _Name) -> bool:
        is_dtype = name.name in NAMES or name.name.endswith("Storage")
        return name.module in ("torch", "torch.storage") and is_dtype

    def _value_of(self, name: _Name) -> Any:
        found = getattr(_engine, name.name, None) if name.module == "torch" else None
        if isinstance(found, _engine.dtype):
            return found
        raise _refused(name)

    def _call(self) -> None:
        arguments, what = self._stack.pop(), self._stack.pop()
        if not isinstance(what, _Name) or what not in _CALLS or type(arguments) is not tuple:
            raise FileError("load: a pickle that calls what is no name")
        self._stack.append(_CALLS[what](self, *arguments))

    def _build(self) -> None:
        self._stack.pop()
        if not isinstance(self._stack[-1], OrderedDict):
            raise FileError("load: a pickle that sets attributes")

    def _set_items(self, pairs: list[Any]) -> None:
        target = self._stack[-1]
        if not isinstance(target, dict) or len(pairs) % 2:
            raise FileError("load: a pickle that sets items of what is no dict")
        for place in range(0, len(pairs), 2):
            key = pairs[place]
            if type(key) not in _KEYS:
                raise FileError("load: a key that is no text and no number")
            target[key] = self._plain(pairs[place + 1])

    def _append(self, values: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is not list:
            raise FileError("load: a pickle that appends to what is no list")
        target += [self._plain(value) for value in values]

    def _push_tuple(self, values: list[Any]) -> None:
        self._stack.append(tuple(values))

    def _persistent(self) -> None:
        said, kind, key, _, count = self._stack.pop()
        is_storage = said == "storage" and isinstance(kind, _Name) and type(key) is str
        if not is_storage or not key.isalnum() or type(count) is not int or count < 0:
            raise FileError("load: a storage that is named wrongly")
        self._stack.append(self._storage(kind.name, key, count))

    # What names do

    def _tensor(
        self,
        storage: Tensor,
        offset: int,
        size: tuple[int, ...],
        stride: tuple[int, ...],
        requires_grad: bool = False,
        *rest: object,
    ) -> Tensor:
        numbers = [offset, *size, *stride]
        if (
            not isinstance(storage, Tensor)
            or any(type(it) is not int or not 0 <= it < 1 << 48 for it in numbers)
            or len(size) != len(stride)
            or len(size) > _MOST_DIMS
        ):
            raise FileError("load: a tensor of sizes or strides that are none")
        last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
        if all(size) and last >= storage.numel():
            raise FileError(
                f"load: a tensor of sizes {list(size)} beyond its storage of {storage.numel()}"
            )
        tensor = _viewed(storage, offset, size, stride)
        if self._device is not None:
            tensor = tensor.to(self._device)
        return tensor.requires_grad_() if requires_grad is True else tensor

    def _parameter(self, data: Tensor, requires_grad: bool = True, *rest: object) -> Tensor:
        if not isinstance(data, Tensor):
            raise FileError("load: a parameter that is no tensor")
        return Parameter(data, requires_grad is True)


def _viewed(storage: Tensor, offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> Tensor:
    """A tensor of given strides over a storage."""
    if not all(size):
        return _engine.empty(size, dtype=storage.dtype)
    # A dim of stride 0 repeats one row; the others, widest first, lie side by side.
    widest = sorted(
        (place for place, step in enumerate(stride) if size[place] > 1 and step),
        key=lambda place: -stride[place],
    )
    count = 1
    for place in reversed(widest):
        if stride[place] != count:
            raise FileError(
                f"load: a tensor of sizes {list(size)} and strides {list(stride)}, which overlap "
                "or leave holes; save a clone() of it"
            )
        count *= size[place]
    dense = storage[offset : offset + count].reshape([size[place] for place in widest])
    order = sorted(range(len(widest)), key=widest.__getitem__)
    kept = dense.permute(order) if order else dense.reshape(())
    sizes = [size[place] if place in widest else 1 for place in range(len(size))]
    return kept.reshape(sizes).expand(size)


_CALLS: dict[_Name, Callable[..., Any]] = {
    _Name("collections", "OrderedDict"): lambda of: OrderedDict(),
    _Name("torch._utils", "_rebuild_tensor_v2"): TorchUnpickler._tensor,
    _Name("torch._utils", "_rebuild_tensor"): TorchUnpickler._tensor,
    _Name("torch._utils", "_rebuild_parameter"): TorchUnpickler._parameter,
    _Name("_codecs", "encode"): lambda of, text, *coding: str.encode(text, "latin1"),
    _Name("torch", "Size"): lambda of, sizes=(): _engine._Size(sizes),
    _Name("torch", "device"): lambda of, kind, index=None: str(kind),
    _Name("builtins", "set"): lambda of, items=(): {it for it in items if type(it) in _KEYS},
    _Name("__builtin__", "set"): lambda of, items=(): {it for it in items if type(it) in _KEYS},
}


def _push(value: Callable[[], Any]) -> Callable[[TorchUnpickler], None]:
    return lambda of: of._stack.append(value())


def _kept(of: TorchUnpickler, number: int) -> None:
    of._memo[number] = of._stack[-1]


_ACTS: dict[bytes, Callable[[TorchUnpickler], Any]] = {
    b"\x80": lambda of: of._take(1),
    b"\x95": lambda of: of._take(8),
    b"(": _push(lambda: _MARK),
    b"}": _push(dict),
    b"]": _push(list),
    b")": _push(tuple),
    b"N": _push(lambda: None),
    b"\x88": _push(lambda: True),
    b"\x89": _push(lambda: False),
    b"K": lambda of: of._stack.append(of._number("<B")),
    b"M": lambda of: of._stack.append(of._number("<H")),
    b"J": lambda of: of._stack.append(of._number("<i")),
    b"G": lambda of: of._stack.append(of._number(">d")),
    b"\x8a": lambda of: of._push_integer("<B"),
    b"X": lambda of: of._push_text("<I"),
    b"\x8c": lambda of: of._push_text("<B"),
    b"C": lambda of: of._stack.append(of._take(of._number("<B"))),
    b"B": lambda of: of._stack.append(of._take(of._number("<I"))),
    b"c": lambda of: of._name(of._line(), of._line()),
    b"\x93": lambda of: of._name(*reversed([of._stack.pop(), of._stack.pop()])),
    b"R": TorchUnpickler._call,
    b"b": TorchUnpickler._build,
    b"Q": TorchUnpickler._persistent,
    b"t": lambda of: of._push_tuple(of._since_mark()),
    b"\x85": lambda of: of._push_tuple([of._stack.pop()]),
    b"\x86": lambda of: of._push_tuple([of._stack.pop() for _ in range(2)][::-1]),
    b"\x87": lambda of: of._push_tuple([of._stack.pop() for _ in range(3)][::-1]),
    b"s": lambda of: of._set_items([of._stack.pop() for _ in range(2)][::-1]),
    b"u": lambda of: of._set_items(of._since_mark()),
    b"a": lambda of: of._append([of._stack.pop()]),
    b"e": lambda of: of._append(of._since_mark()),
    b"q": lambda of: _kept(of, of._number("<B")),
    b"r": lambda of: _kept(of, of._number("<I")),
    b"\x94": lambda of: _kept(of, len(of._memo)),
    b"h": lambda of: of._stack.append(of._memo[of._number("<B")]),
    b"j": lambda of: of._stack.append(of._memo[of._number("<I")]),
}

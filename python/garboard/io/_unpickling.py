"""An unpickler for PyTorch's files that runs no code of theirs.

It is a small machine of its own: it knows the opcodes that PyTorch writes, the names that tensors
and containers need, and nothing else. Names are tokens; what calling one does stands here and in
`_pickled_values`. Its work and memory are bounded by the length of the pickle.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from garboard import _engine
from garboard._arguments import layouts
from garboard._engine import GradientError, Tensor
from garboard.io._dtypes import NAMES
from garboard.io._errors import FileError, UnsafeFileError
from garboard.io._pickled_values import FACTORIES, KEYS, VALUES, NumpyDType, filled
from garboard.io._sparse import sparse_of_parts
from garboard.nn.parameter import Buffer, Parameter

__all__ = ["LONGEST_PICKLE", "TorchUnpickler"]

LONGEST_PICKLE = 1 << 25  # bytes


class _Name(NamedTuple):
    """A name of a module, as the file gives it."""

    module: str
    name: str


class _Mark:
    """Where a list of arguments begins on the stack."""


_MARK = _Mark()
_MOST_DIMS = 8
_OTHER_DTYPES = ("complex32", "float8", "float4", "int1", "qint", "quint", "uint")


def _refused(what: _Name) -> FileError:
    advice = "load it in PyTorch, and save tensors, numbers and texts alone"
    if what.module == "torch" and what.name.startswith(_OTHER_DTYPES):
        return FileError(
            f"load: the dtype torch.{what.name[:40]}, which is not in garboard; save what has it "
            "in another, such as int64 or float32"
        )
    if what == ("torch._utils", "_rebuild_tensor_v3"):
        return FileError(
            "load: a tensor of a dtype that is not in garboard, such as uint16 or float8; save it "
            "in another, such as int64 or float32"
        )
    if what.module.startswith("numpy"):
        advice = "of NumPy's, numbers and arrays of numbers and texts are read"
    elif "optim" not in what.module and what.module.startswith(("torch.nn", "__main__")):
        advice = "save module.state_dict() instead of the module"
    return UnsafeFileError(
        f"load: the file asks for {what.module[:80]}.{what.name[:80]}, which could run any code; "
        f"{advice}"
    )


class TorchUnpickler:
    """Reads the pickle that begins at byte `at`; afterwards `end` is where it ends.

    `storage(kind, key, count)` returns the elements that a tensor looks at; unless `is_filled`,
    they are read later, and no sparse tensor is made of them yet.
    """

    def __init__(
        self,
        text: bytes,
        storage: Callable[[str, str, int], Tensor],
        at: int = 0,
        is_filled: bool = True,
    ) -> None:
        self._text, self._at = text, at
        self._storage, self._is_filled = storage, is_filled
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        self._left = (1 << 20) + 16 * len(text)
        self._turned: dict[tuple[int, bool, bool], Tensor] = {}

    @property
    def end(self) -> int:
        return self._at

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
        except GradientError as error:
            raise FileError(f"load: a tensor that cannot have a gradient ({error})") from None
        except (
            AttributeError,
            IndexError,
            KeyError,
            TypeError,
            ValueError,
            struct.error,
            OverflowError,
        ) as error:
            raise FileError(f"load: a broken pickle ({type(error).__name__})") from None

    def _plain(self, value: Any) -> Any:
        if isinstance(value, _Name):
            raise _refused(value)
        if value is _MARK:
            raise FileError("load: a broken pickle (a mark for a value)")
        return value.found() if isinstance(value, NumpyDType) else value

    def _spend(self, given: Any) -> None:
        """Count what a call copies: one thing of the pickle may be named again and again."""
        self._left -= len(given) if isinstance(given, (bytes, dict, list, str, tuple)) else 1
        if self._left < 0:
            raise FileError("load: a pickle that makes far more than it holds")

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
        dtype = getattr(_engine, name, None) if module == "torch" else None
        is_storage = module in ("torch", "torch.storage") and name.endswith("Storage")
        is_other = is_storage or (module in ("builtins", "__builtin__") and name in FACTORIES)
        if isinstance(dtype, _engine.dtype) and name in NAMES:
            self._stack.append(dtype)
        elif found in _CALLS or found in VALUES or found in _ARGUMENTS or is_other:
            self._stack.append(found)
        else:
            raise _refused(found)

    def _call(self) -> None:
        arguments, what = self._stack.pop(), self._stack.pop()
        if not isinstance(what, _Name) or type(arguments) is not tuple:
            raise FileError("load: a pickle that calls what is no name")
        for given in arguments:
            self._spend(given)
        if what in _CALLS:
            self._stack.append(_CALLS[what](self, *arguments))
        elif what in VALUES:
            self._stack.append(VALUES[what](*arguments))
        else:
            raise FileError("load: a pickle that calls what is no name")

    def _build(self) -> None:
        state, target = self._stack.pop(), self._stack[-1]
        if isinstance(target, NumpyDType):
            target.tell(state)
        elif type(target).__name__ == "ndarray":
            self._spend(state[-1])
            filled(target, state)
        elif type(target).__name__ == "Namespace" and type(state) is dict:
            self._spend(state)
            vars(target).update({key: it for key, it in state.items() if type(key) is str})
        elif not isinstance(target, OrderedDict):
            raise FileError("load: a pickle that sets attributes")

    def _set_items(self, pairs: list[Any]) -> None:
        target = self._stack[-1]
        if not isinstance(target, dict) or len(pairs) % 2:
            raise FileError("load: a pickle that sets items of what is no dict")
        for place in range(0, len(pairs), 2):
            key = pairs[place]
            if type(key) not in KEYS:
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
        said, kind, key, _, count, *part = self._stack.pop()
        is_storage = said == "storage" and isinstance(kind, _Name) and type(key) is str
        if not is_storage or not key.isalnum() or type(count) is not int or count < 0:
            raise FileError("load: a storage that is named wrongly")
        found = self._storage(kind.name, key, count)
        if part and part[0] is not None:  # in files of before 1.6 a storage may be part of one
            _, first, some = part[0]
            if type(first) is not int or type(some) is not int or not 0 <= first <= first + some:
                raise FileError("load: a part of a storage that is none")
            if first + some > count:
                raise FileError(f"load: a part of a storage beyond its {count} elements")
            found = found[first : first + some]
        self._stack.append(found)

    # What names do

    def _tensor(
        self,
        storage: Tensor,
        offset: int,
        size: tuple[int, ...],
        stride: tuple[int, ...],
        requires_grad: bool = False,
        hooks: object = None,
        bits: Any = None,
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
        if not all(size):
            tensor = _engine.empty(size, dtype=storage.dtype, device=storage.device)
        else:
            elements = self._resolved(storage, bits)
            tensor = elements.as_strided(size, stride, elements.storage_offset() + offset)
        return tensor.requires_grad_() if requires_grad is True else tensor

    def _resolved(self, storage: Tensor, bits: Any) -> Tensor:
        """A storage's elements as those of its tensors that are conjugated or negated see them."""
        given = bits if type(bits) is dict else {}
        turns = given.get("conj") is True, given.get("neg") is True
        if not any(turns):
            return storage
        if (id(storage), *turns) not in self._turned:
            turned = storage.conj() if turns[0] else storage
            self._turned[id(storage), *turns] = -turned if turns[1] else turned
        return self._turned[id(storage), *turns]

    def _typed(self, how: Any, kind: Any, arguments: Any, state: Any = None) -> Tensor:
        """A tensor with attributes, which of a buffer say how it is kept."""
        if how not in _CALLS or how.name == "_rebuild_from_type_v2" or kind not in _TYPES:
            raise FileError("load: a tensor of a class that is not read; save .data of it")
        tensor: Tensor = _CALLS[how](self, *arguments)
        told = state if type(state) is dict else {}
        if told.get("_is_buffer") is True:
            return Buffer(tensor, persistent=told.get("persistent") is not False)
        return self._told(tensor, told)

    def _layout(self, name: str) -> Any:
        found = getattr(layouts, str(name).rpartition(".")[2], None)
        if not isinstance(found, layouts.layout):
            raise FileError(f"load: the layout {str(name)[:40]}, which is not in garboard")
        return found

    def _sparse(self, layout: Any, data: Any) -> Any:
        if not isinstance(layout, layouts.layout) or type(data) is not tuple or len(data) < 3:
            raise FileError("load: a sparse tensor of no layout, or of no parts")
        flags = [it for it in data if type(it) is bool]
        *parts, sizes = data[: -len(flags)] if flags else data
        if not self._is_filled:
            return None
        return sparse_of_parts(str(layout).rpartition(".")[2], parts, sizes, flags == [True])

    def _parameter(self, data: Tensor, requires_grad: bool = True, *rest: object) -> Tensor:
        if not isinstance(data, Tensor):
            raise FileError("load: a parameter that is no tensor")
        return Parameter(data, requires_grad is True)

    def _parameter_told(
        self, data: Tensor, requires_grad: bool, hooks: object, state: Any
    ) -> Tensor:
        told = state[0] if type(state) is tuple and state else state  # slots come second
        return self._told(self._parameter(data, requires_grad), told)

    def _told(self, tensor: Tensor, attributes: Any) -> Tensor:
        """A tensor with the attributes that programs gave it; what Tensor has is left alone."""
        self._spend(attributes)
        given = attributes if type(attributes) is dict else {}
        for name, value in given.items():
            if type(name) is str and not hasattr(type(tensor), name):
                setattr(tensor, name, self._plain(value))
        return tensor


_CALLS: dict[_Name, Callable[..., Any]] = {
    _Name("torch._tensor", "_rebuild_from_type_v2"): TorchUnpickler._typed,
    _Name("torch._utils", "_rebuild_sparse_tensor"): TorchUnpickler._sparse,
    _Name("torch._utils", "_rebuild_tensor_v2"): TorchUnpickler._tensor,
    _Name("torch._utils", "_rebuild_tensor"): TorchUnpickler._tensor,
    _Name("torch._utils", "_rebuild_parameter"): TorchUnpickler._parameter,
    _Name("torch._utils", "_rebuild_parameter_with_state"): TorchUnpickler._parameter_told,
    _Name("torch.serialization", "_get_layout"): TorchUnpickler._layout,
}
_TYPES = (
    _Name("torch", "Tensor"),
    _Name("torch.nn.parameter", "Buffer"),
    _Name("torch.nn.parameter", "Parameter"),
)
_ARGUMENTS = (*_TYPES, _Name("numpy", "ndarray"))  # which are given to calls, and never called


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
    b"T": lambda of: of._push_text("<I"),  # texts of Python 2
    b"U": lambda of: of._push_text("<B"),
    b"\x8c": lambda of: of._push_text("<B"),
    b"C": lambda of: of._stack.append(of._take(of._number("<B"))),
    b"B": lambda of: of._stack.append(of._take(of._number("<I"))),
    b"c": lambda of: of._name(of._line(), of._line()),
    b"\x93": lambda of: of._name(*reversed([of._stack.pop(), of._stack.pop()])),
    b"R": TorchUnpickler._call,
    b"\x81": TorchUnpickler._call,
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

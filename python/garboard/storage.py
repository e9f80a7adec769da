"""A tensor's memory as PyTorch's programs ask for it: of bytes, or of elements of its dtype."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._engine import Storage, Tensor
from garboard._names.missing import module_getattr
from garboard._native import add_methods
from garboard._storages import copied, made, placed, resized, written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from garboard.types import Device, Element, Number

__all__ = ["Storage", "TypedStorage", "UntypedStorage"]

UntypedStorage = StorageBase = Storage


class TypedStorage:
    """One block of memory, counted in elements of a dtype; it is kept alive.

    `tensor.storage()` makes it. Equal where it is the same block, of whatever dtype; what it has
    besides its own methods, `data_ptr()`, `nbytes()` and `device` among them, is the block's.

    Args:
        given: The block; or how many elements a new one has, or which.
        dtype: Of its elements; float32 by default.
        device: Where a new one lies, the CPU by default.
        wrap_storage: The block, by the name it has in PyTorch.

    Raises:
        ShapeError: A negative number of elements.
        TypeError: An argument of another type.

    >>> x = gb.zeros(4)
    >>> len(x[1:].storage()), x[1:].storage().dtype
    (4, garboard.float32)
    >>> gb.TypedStorage([1, 2], dtype=gb.int64).tolist()
    [1, 2]
    """

    __slots__ = ("_dtype", "_untyped")
    _dtype: _engine.dtype
    _untyped: Storage

    def __init__(
        self,
        given: Storage | int | Sequence[Number] = 0,
        dtype: _engine.dtype = _engine.float32,
        *,
        device: Device | None = None,
        wrap_storage: Storage | None = None,
    ) -> None:
        op = "TypedStorage"
        self._dtype = check.of_type(_engine.dtype, op, "dtype", dtype)
        if wrap_storage is not None:
            given = check.of_type(Storage, op, "wrap_storage", wrap_storage)
        if not isinstance(given, Storage):
            given = made(op, given, dtype, device)
        self._untyped = given

    @property
    def dtype(self) -> _engine.dtype:
        """The dtype of an element.

        >>> gb.zeros(4).storage().dtype
        garboard.float32
        """
        return self._dtype

    def untyped(self) -> Storage:
        """Return the block, which counts bytes.

        >>> gb.zeros(4).storage().untyped().size()
        16
        """
        return self._untyped

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.untyped().nbytes()

    def _new_shared(self, size: int, *, device: Device | None = None) -> TypedStorage:
        """Make a storage of so many elements of this one's dtype, as `UntypedStorage` does.

        >>> gb.zeros(4).storage()._new_shared(3).nbytes()
        12
        """
        return TypedStorage(size, dtype=self.dtype, device=device)

    def element_size(self) -> int:
        """Tell how many bytes an element has.

        Returns:
            An integer.

        >>> gb.zeros(4).storage().element_size()
        4
        """
        return self.dtype.itemsize

    def size(self) -> int:
        """Tell how many elements it holds, which `len()` does too.

        Returns:
            An integer.

        >>> gb.zeros(4)[1:].storage().size()
        4
        """
        return self._untyped.nbytes() // self.dtype.itemsize

    def tolist(self) -> list[Element]:
        """Return its elements as numbers of Python's.

        >>> gb.arange(3)[1:].storage().tolist()
        [0, 1, 2]
        """
        with _engine.DisposeScope("storage"):
            numbers: list[Element] = self._elements().tolist()
        return numbers

    def type(self) -> str:
        """Name it as PyTorch's older programs do.

        Returns:
            A string.

        >>> gb.zeros(4).storage().type()
        'garboard.FloatStorage'
        """
        with _engine.DisposeScope("storage"):
            named: str = self._elements().type()
        return named.replace("Tensor", "Storage")

    def clone(self) -> TypedStorage:
        """Copy the elements into a block of their own.

        Returns:
            A new storage.

        >>> gb.arange(3).storage().clone().tolist()
        [0, 1, 2]
        """
        return TypedStorage(self._untyped.clone(), self.dtype)

    def to(self, dtype: _engine.dtype) -> TypedStorage:
        """Copy the elements into a block of another dtype; itself where it has that one.

        Returns:
            A storage.

        >>> gb.arange(3).storage().to(gb.float32).tolist()
        [0.0, 1.0, 2.0]
        """
        if dtype == self.dtype:
            return self
        with _engine.DisposeScope("storage"):
            return TypedStorage(copied("to", self._elements(), dtype=dtype), dtype)

    def float(self) -> TypedStorage:
        """Copy the elements into a block of float32.

        Returns:
            A new storage.

        >>> gb.arange(2).storage().float().tolist()
        [0.0, 1.0]
        """
        return self.to(_engine.float32)

    def double(self) -> TypedStorage:
        """Copy the elements into a block of float64.

        Returns:
            A new storage.

        >>> gb.arange(2).storage().double().dtype
        garboard.float64
        """
        return self.to(_engine.float64)

    def long(self) -> TypedStorage:
        """Copy the elements into a block of int64.

        Returns:
            A new storage.

        >>> gb.ones(2).storage().long().tolist()
        [1, 1]
        """
        return self.to(_engine.int64)

    def cpu(self) -> TypedStorage:
        """Return it, or a copy on the CPU where it lies elsewhere.

        >>> gb.ones(1).storage().cpu().tolist()
        [1.0]
        """
        return TypedStorage(self._untyped.cpu(), self.dtype)

    def cuda(self, device: Device | None = None) -> TypedStorage:
        """Return it, or a copy on a CUDA device where it lies elsewhere.

        >>> if gb.cuda.is_available():
        ...     assert gb.ones(1).storage().cuda().device.type == "cuda"
        """
        return TypedStorage(self._untyped.cuda(device), self.dtype)

    def copy_(self, source: TypedStorage | Storage, non_blocking: bool = False) -> TypedStorage:
        """Write all elements of another storage, of as many, converted to the dtype.

        Raises:
            ShapeError: It has more elements, or fewer.
            TypeError: It is no storage.

        Args:
            source: The other storage.
            non_blocking: Ignored.

        Returns:
            The storage itself.

        >>> gb.zeros(2).storage().copy_(gb.arange(2).storage()).tolist()
        [0.0, 1.0]
        """
        with _engine.DisposeScope("storage"):
            if isinstance(source, TypedStorage):
                others = source._elements()
            else:
                block = check.of_type(Storage, "copy_", "source", source)
                others = block._elements(_engine.uint8)
            written("copy_", self._elements(), others)
        return self

    def fill_(self, value: Number) -> TypedStorage:
        """Write one value into all elements.

        Returns:
            The storage itself.

        >>> gb.zeros(2).storage().fill_(3).tolist()
        [3.0, 3.0]
        """
        with _engine.DisposeScope("storage"):
            self._elements().fill_(value)
        return self

    def resize_(self, size: int) -> TypedStorage:
        """Return the storage itself, if that many elements is what it has.

        Raises:
            NotImplementedError: It has more, or fewer: a storage keeps its size.

        >>> len(gb.ones(2).storage().resize_(2))
        2
        """
        resized(size, self.size())
        return self

    def is_pinned(self) -> bool:
        """Tell whether it lies in pinned memory of the host.

        Returns:
            True or False.

        >>> gb.ones(1).storage().is_pinned()
        False
        """
        return self._untyped.is_pinned()

    def is_shared(self) -> bool:
        """Return False: memory of one process is not shared with others.

        >>> gb.ones(1).storage().is_shared()
        False
        """
        return False

    def _elements(self) -> Tensor:
        return self._untyped._elements(self.dtype)

    def data_ptr(self) -> int:
        """Tell the address of the first byte, on its device.

        Returns:
            An integer.

        >>> x = gb.ones(1)
        >>> x.storage().data_ptr() == x.data_ptr()
        True
        """
        return self._untyped.data_ptr()

    def nbytes(self) -> int:
        """Tell how many bytes it has.

        Returns:
            An integer.

        >>> gb.zeros(4).storage().nbytes()
        16
        """
        return self._untyped.nbytes()

    @property
    def device(self) -> _engine.device:
        """The device on which it lies."""
        return self._untyped.device

    @property
    def is_cuda(self) -> bool:
        """Whether it lies on a GPU."""
        return self.device.type == "cuda"

    @property
    def version(self) -> int:
        """A number that moves on with every in-place write."""
        return self._untyped.version

    @property
    def serial(self) -> int:
        """Its number in the registry, never reused."""
        return self._untyped.serial

    @property
    def is_foreign(self) -> bool:
        """True for memory of an array or buffer that somebody else owns."""
        return self._untyped.is_foreign

    def __getitem__(self, index: int) -> Element:
        with _engine.DisposeScope("storage"):
            element: Element = self._elements()[placed(index, len(self))].item()
        return element

    def __setitem__(self, index: int, value: Number) -> None:
        with _engine.DisposeScope("storage"):
            self._elements()[placed(index, len(self))] = value

    def __len__(self) -> int:
        return self.size()

    def __eq__(self, other: object) -> bool:
        return self._untyped == (other._untyped if isinstance(other, TypedStorage) else other)

    def __hash__(self) -> int:
        return hash(self._untyped)

    def __repr__(self) -> str:
        return f"TypedStorage({self.size()} of {self.dtype}, device={self.device})"


def storage(self: Tensor) -> TypedStorage:
    """Look at the storage, which all views share, as elements of the tensor's dtype.

    Returns:
        A TypedStorage, which keeps the bytes alive; of the whole storage, wherever the tensor
        begins. `untyped_storage()` counts bytes.

    Raises:
        DisposedError: The tensor is disposed.

    >>> x = gb.zeros(4)
    >>> x.storage() == x[1:].storage(), x[1:].storage().size()
    (True, 4)
    """
    _engine._require_living(check.tensor("storage", "input", self), "storage")
    return TypedStorage(self.untyped_storage(), self.dtype)


add_methods(Tensor, {"_typed_storage": storage, "storage": storage})

if not TYPE_CHECKING:
    _missing = module_getattr(__name__)

    def __getattr__(name: str) -> Any:
        if name != "_load_from_bytes":
            return _missing(name)
        # A pickle of PyTorch's asks for it here; reading files stands above this.
        return import_module("garboard.io._rebuilding")._load_from_bytes

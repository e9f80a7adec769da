"""A tensor's memory as PyTorch's programs ask for it: of bytes, or of elements of its dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, Storage, Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from garboard.types import Element, Number

__all__ = ["Storage", "TypedStorage", "UntypedStorage"]

UntypedStorage = Storage


class TypedStorage:
    """One block of memory, counted in elements of a dtype; it is kept alive.

    `tensor.storage()` makes it. Equal where it is the same block, of whatever dtype; what it has
    besides its own methods, `data_ptr()`, `nbytes()` and `device` among them, is the block's.

    Args:
        untyped: The block.
        dtype: Of its elements.

    >>> x = gb.zeros(4)
    >>> len(x[1:].storage()), x[1:].storage().dtype
    (4, garboard.float32)
    """

    __slots__ = ("_untyped", "dtype")
    _untyped: Storage
    dtype: _engine.dtype

    def __init__(self, untyped: Storage, dtype: _engine.dtype) -> None:
        self._untyped = check.of_type(Storage, "TypedStorage", "untyped", untyped)
        self.dtype = check.of_type(_engine.dtype, "TypedStorage", "dtype", dtype)

    def untyped(self) -> Storage:
        """Return the block, which counts bytes.

        >>> gb.zeros(4).storage().untyped().size()
        16
        """
        return self._untyped

    def element_size(self) -> int:
        """Tell how many bytes an element has.

        >>> gb.zeros(4).storage().element_size()
        4
        """
        return self.dtype.itemsize

    def size(self) -> int:
        """Tell how many elements it holds, which `len()` does too.

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
            numbers: list[Element] = self._untyped._elements(self.dtype).tolist()
        return numbers

    def data_ptr(self) -> int:
        """Tell the address of the first byte, on its device."""
        return self._untyped.data_ptr()

    def nbytes(self) -> int:
        """Tell how many bytes it has."""
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

    def _place(self, index: int) -> int:
        place = check.integer("storage", "index", index)
        if not -len(self) <= place < len(self):
            raise IndexOutOfRangeError(
                f"storage: index {shown(place)} of {len(self)} elements; one in "
                f"[{-len(self)}, {len(self)}) is needed"
            )
        return place

    def __getitem__(self, index: int) -> Element:
        with _engine.DisposeScope("storage"):
            element: Element = self._untyped._elements(self.dtype)[self._place(index)].item()
        return element

    def __setitem__(self, index: int, value: Number) -> None:
        with _engine.DisposeScope("storage"):
            self._untyped._elements(self.dtype)[self._place(index)] = value

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


add_methods(Tensor, {"storage": storage})

"""What storages do besides counting their bytes: they are made, copied, read and written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from mmap import ACCESS_COPY, ACCESS_WRITE, mmap
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import DisposeScope, IndexOutOfRangeError, ShapeError, Storage, Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["copied", "made", "placed", "resized", "written"]


def made(
    op: str, given: int | Sequence[Any], dtype: DType, device: Device | None = None
) -> Storage:
    """A new storage of so many elements, of any value, or of these."""
    with DisposeScope(op):
        if isinstance(given, (list, tuple)):
            return _engine.tensor(given, dtype=dtype, device=device).untyped_storage()
        count = check.size(op, "size", given)
        return _engine.empty(count, dtype=dtype, device=device).untyped_storage()


def copied(op: str, elements: Tensor, **options: Any) -> Storage:
    """A storage of its own with these elements, on a device or of a dtype if one is given."""
    return elements.to(copy=True, **options).untyped_storage()


def written(op: str, elements: Tensor, others: Tensor) -> None:
    """Write all elements of another storage, of as many."""
    if others.numel() != elements.numel():
        raise ShapeError(
            f"{op}: source of {others.numel()} elements into {elements.numel()}; as many are needed"
        )
    elements.copy_(others)


def placed(index: int, count: int) -> int:
    """Check the number of an element."""
    place, there = check.integer("storage", "index", index), shown(count)
    if not -count <= place < count:
        raise IndexOutOfRangeError(
            f"storage: index {shown(place)} of {there} elements; one in "
            f"[-{there}, {there}) is needed"
        )
    return place


def resized(size: int, count: int) -> None:
    """Refuse another size than there is."""
    if check.size("resize_", "size", size) != count:
        raise NotImplementedError(
            f"resize_: size {shown(size)} of a storage of {shown(count)}; a storage keeps its "
            "size, so for less memory let x.data = gb.empty(0), or x.dispose(), for more "
            "x.resize_()"
        )


def _new(cls: type[Storage], given: int | Sequence[int] = 0, device: Device | None = None) -> Any:
    return made("UntypedStorage", given, _engine.uint8, device)


def _bytes(self: Storage) -> Tensor:
    return self._elements(_engine.uint8)


@classmethod  # type: ignore[misc]
def from_file(
    cls: type[Storage], filename: str | PathLike[str], shared: bool = False, nbytes: int = 0
) -> Storage:
    """Map a file into memory: a page is read when it is first looked at.

    Args:
        filename: Its path.
        shared: Write what is written to the bytes into the file too, which is made, or made larger,
            where it has too few.
        nbytes: How many of its bytes; 0 for all.

    Returns:
        A storage on the CPU, of foreign memory.

    Raises:
        ShapeError: The file has fewer bytes, and is not shared; `nbytes` is negative.
        OSError: The file cannot be opened.
        TypeError: An argument of another type.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gb.UntypedStorage.from_file(f"{folder}/bytes", shared=True, nbytes=8)
    UntypedStorage(8 bytes, device=cpu)
    """
    op = "from_file"
    path = check.path(op, "filename", filename)
    is_shared = check.flag(op, "shared", shared)
    count = check.size(op, "nbytes", nbytes)
    if is_shared:
        path.touch()
    with path.open("r+b" if is_shared else "rb") as file:
        there = path.stat().st_size
        if there < count:
            if not is_shared:
                raise ShapeError(
                    f"{op}: nbytes {shown(count)} of a file of {shown(there)}; at most as many are "
                    "needed, or shared=True"
                )
            file.truncate(count)
        if (count or there) == 0:
            return made(op, 0, _engine.uint8)
        access = ACCESS_WRITE if is_shared else ACCESS_COPY
        with DisposeScope(op):
            bytes_ = memoryview(mmap(file.fileno(), count or there, access=access))
            return _engine.from_numpy(bytes_).untyped_storage()


@classmethod  # type: ignore[misc]
def _new_shared(cls: type[Storage], size: int, *, device: Device = "cpu") -> Storage:
    """Make a storage for a batch that a worker gathers, as collate functions do in it.

    Args:
        size: How many bytes.
        device: Where.

    Returns:
        A new storage, of the process's own memory: what a worker gives is copied.

    Raises:
        ShapeError: `size` is negative.
        TypeError: It is no integer.

    >>> gb.ones(3).untyped_storage()._new_shared(8)
    UntypedStorage(8 bytes, device=cpu)
    """
    return made("_new_shared", size, _engine.uint8, device)


def clone(self: Storage) -> Storage:
    """Copy the bytes into a storage of their own.

    Returns:
        A new storage.

    >>> gb.zeros(4).untyped_storage().clone().nbytes()
    16
    """
    with DisposeScope("storage"):
        return copied("clone", _bytes(self))


def copy_(self: Storage, source: Storage, non_blocking: bool = False) -> Storage:
    """Write all bytes of another storage, of as many.

    Args:
        source: The other, on whichever device.
        non_blocking: Ignored.

    Returns:
        The storage itself.

    Raises:
        ShapeError: It has more bytes, or fewer.
        TypeError: It is no storage.

    >>> x = gb.ones(2)
    >>> _ = x.untyped_storage().copy_(gb.zeros(2).untyped_storage())
    >>> x
    tensor([0., 0.])
    """
    with DisposeScope("storage"):
        written("copy_", _bytes(self), _bytes(check.of_type(Storage, "copy_", "source", source)))
    return self


def fill_(self: Storage, value: int) -> Storage:
    """Write one value into all bytes.

    Returns:
        The storage itself.

    >>> gb.ones(1).untyped_storage().fill_(7).tolist()
    [7, 7, 7, 7]
    """
    with DisposeScope("storage"):
        _bytes(self).fill_(value)
    return self


def tolist(self: Storage) -> list[int]:
    """Return the bytes as numbers of Python's.

    >>> gb.ones(1).untyped_storage().tolist()
    [0, 0, 128, 63]
    """
    with DisposeScope("storage"):
        numbers: list[int] = _bytes(self).tolist()
    return numbers


def _sizeof(self: Storage) -> int:
    """Return the bytes of the block and of the object that stands for it, as `sys.getsizeof` asks.

    >>> import sys
    >>> sys.getsizeof(gb.zeros(1000).untyped_storage()) >= 4000
    True
    """
    return object.__sizeof__(self) + self.nbytes()


def element_size(self: Storage) -> int:
    """Return 1: its elements are bytes.

    >>> gb.ones(1).untyped_storage().element_size()
    1
    """
    return 1


def is_pinned(self: Storage) -> bool:
    """Tell whether it lies in pinned memory of the host.

    Returns:
        True or False.

    >>> gb.ones(1).untyped_storage().is_pinned()
    False
    """
    with DisposeScope("storage"):
        return _bytes(self).is_pinned()


def is_shared(self: Storage) -> bool:
    """Return False: memory of one process is not shared with others.

    >>> gb.ones(1).untyped_storage().is_shared()
    False
    """
    return False


def untyped(self: Storage) -> Storage:
    """Return the storage itself, which counts bytes.

    >>> storage = gb.ones(1).untyped_storage()
    >>> storage.untyped() == storage
    True
    """
    return self


def cpu(self: Storage) -> Storage:
    """Return it, or a copy on the CPU where it lies elsewhere.

    >>> storage = gb.ones(1).untyped_storage()
    >>> storage.cpu() == storage
    True
    """
    with DisposeScope("storage"):
        return self if self.device.type == "cpu" else copied("cpu", _bytes(self), device="cpu")


def cuda(self: Storage, device: Device | None = None) -> Storage:
    """Return it, or a copy on a CUDA device where it lies elsewhere.

    Args:
        device: Which; the current one by default.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     assert gb.ones(1).untyped_storage().cuda().device.type == "cuda"
    """
    with DisposeScope("storage"):
        moved: Tensor = _bytes(self).cuda(device)
        return moved.untyped_storage()


def resize_(self: Storage, size: int) -> Storage:
    """Return the storage itself, if that many bytes is what it has.

    Raises:
        NotImplementedError: It has more, or fewer: a storage keeps its size.
        ShapeError: `size` is negative.

    >>> gb.ones(1).untyped_storage().resize_(4).nbytes()
    4
    """
    resized(size, self.nbytes())
    return self


def _places(index: slice, count: int) -> slice:
    start, stop, step = index.indices(count)
    if step != 1:
        raise ValueError(f"storage: a slice by steps of {shown(step)}; steps of 1 are needed")
    return slice(start, max(start, stop))


def _getitem(self: Storage, index: int | slice) -> int | Storage:
    with DisposeScope("storage"):
        if isinstance(index, slice):
            part: Tensor = _bytes(self)[_places(index, len(self))]
            return _engine._from_dlpack(part._dlpack(True, False)).untyped_storage()
        found: Any = _bytes(self)[placed(index, len(self))].item()
    return int(found)


def _setitem(self: Storage, index: int | slice, value: int) -> None:
    count = len(self)
    place = _places(index, count) if isinstance(index, slice) else placed(index, count)
    with DisposeScope("storage"):
        _bytes(self)[place] = value


def _iter(self: Storage) -> Iterator[int]:
    return iter(tolist(self))


def _repr(self: Storage) -> str:
    return f"UntypedStorage({self.nbytes()} bytes, device={self.device})"


def _reduce(self: Storage) -> NoReturn:
    raise TypeError("storage: it cannot be pickled; pickle a tensor over it")


def _made_already(self: Storage, *given: Any, **named: Any) -> None:
    """Leave it as `__new__` made it."""


add_methods(
    Storage,
    {
        "__getitem__": _getitem,
        "__init__": _made_already,
        "__iter__": _iter,
        "__new__": staticmethod(_new),
        "__reduce__": _reduce,
        "__repr__": _repr,
        "__setitem__": _setitem,
        "_new_shared": _new_shared,
        "clone": clone,
        "copy_": copy_,
        "cpu": cpu,
        "cuda": cuda,
        "__sizeof__": _sizeof,
        "element_size": element_size,
        "fill_": fill_,
        "from_file": from_file,
        "is_pinned": is_pinned,
        "is_shared": is_shared,
        "resize_": resize_,
        "tolist": tolist,
        "untyped": untyped,
    },
)

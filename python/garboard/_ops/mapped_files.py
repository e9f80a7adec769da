"""Files as memory: what a tensor's elements are, without being read first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import DeviceError, ShapeError, Tensor
from garboard._ops.functions import frombuffer

if TYPE_CHECKING:
    import os

    from garboard.types import Device

__all__ = ["from_file"]


def from_file(
    filename: str | os.PathLike[str],
    shared: bool | None = None,
    size: int = 0,
    *,
    dtype: _engine.dtype | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Make a tensor whose elements are a file's bytes; they are read as they are asked for.

    Args:
        filename: The file; with `shared` it is made where there is none, and longer where it is too
            short.
        shared: Write into the file what is written into the tensor, at once, for all who map it;
            else the file stays as it is.
        size: How many elements, from the beginning on.
        dtype: What the bytes are numbers of; the default dtype where it is left out.
        device: The CPU alone.
        requires_grad: Whether operations on the tensor are recorded.

    Returns:
        A new tensor [size] on the CPU. The system brings and writes the file's pages: they count
        for no memory of tensors.

    Raises:
        ShapeError: A negative size, or a file that is too short.
        DeviceError: Another device.
        OSError: The file cannot be opened or mapped.
        TypeError: An argument is of another type.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     x = gb.from_file(f"{folder}/numbers", shared=True, size=3)
    ...     _ = x.fill_(2)
    ...     gb.from_file(f"{folder}/numbers", size=2)
    tensor([2., 2.])
    """
    import mmap
    from pathlib import Path

    op = "from_file"
    if device is not None and _engine.device(device).type != "cpu":
        raise DeviceError(f"{op}: device {shown(str(device))}; the CPU is needed, and to() then")
    kind = _engine.get_default_dtype() if dtype is None else dtype
    check.of_type(_engine.dtype, op, "dtype", kind)
    is_shared = shared is not None and check.flag(op, "shared", shared)
    count = check.size(op, "size", size)
    path, needed = Path(filename), count * kind.itemsize
    if count == 0:
        return _engine.empty(0, dtype=kind, requires_grad=requires_grad)
    if is_shared:
        path.touch()
    with path.open("r+b" if is_shared else "rb") as file:
        there = path.stat().st_size
        if there < needed and is_shared:
            file.truncate(needed)
        elif there < needed:
            raise ShapeError(
                f"{op}: {shown(str(path))} of {there} bytes; {needed} for {shown(count)} elements "
                "are needed, or shared=True"
            )
        access = mmap.ACCESS_WRITE if is_shared else mmap.ACCESS_COPY
        mapped = mmap.mmap(file.fileno(), needed, access=access)
    return frombuffer(mapped, dtype=kind, requires_grad=requires_grad)

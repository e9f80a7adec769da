"""Saving and loading: what users call; the formats are in `garboard.io`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import BinaryIO

    from garboard.types import Device

__all__ = ["load", "save"]


def save(
    obj: object,
    f: str | PathLike[str] | BinaryIO,
    pickle_module: object = None,
    pickle_protocol: int | None = None,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write tensors to a file: a state dict, or any nest of dicts, lists, tuples and numbers.

    The file has the format of safetensors, whatever its name, which other libraries read: a flat
    dict has its keys for names, the rest of a nest stands in the metadata. An object of any other
    class, a whole module say, is pickled there. A name that ends in
    ".npy" or ".npz" makes a file of NumPy's, of one tensor or of a dict of them. A path is written
    beside its place and then moved there: whoever reads it finds the old file or the new one.

    Args:
        obj: Tensors, NumPy's arrays of numbers and texts, texts, bytes, numbers, None, dates,
            paths, and dicts, lists, tuples, sets and `argparse.Namespace`s of them; objects that
            can be pickled, which `load` gives back with `weights_only=False` alone. Of a class made
            of a dict, a list or a number the object is given back then, and what it is made of
            without. What shares a storage whole is written once.
        f: A path, or a binary file.
        pickle_module: Ignored, as all that follow, which older programs give: there is one format.
        pickle_protocol: Ignored.

    Raises:
        TypeError: Something inside cannot be pickled; the message says where. Of modules and
            optimizers better save `state_dict()`: it needs no class to be read.
        OSError: The file cannot be written; the old one is as it was.
        DisposedError: A tensor is disposed.

    >>> import io
    >>> file = io.BytesIO()
    >>> gb.save({"weights": gb.ones(2), "epoch": 3}, file)
    >>> _ = file.seek(0)
    >>> gb.load(file)
    {'weights': tensor([1., 1.]), 'epoch': 3}
    """
    from garboard.io._saving import write

    write(obj, f)


def load(
    f: str | PathLike[str] | BinaryIO,
    map_location: Device | dict[str, str] | Callable[..., object] | None = None,
    pickle_module: object = None,
    *,
    weights_only: bool | None = True,
    mmap: bool | None = False,
    encoding: str | None = None,
) -> Any:
    """Read what `save` wrote; or a safetensors, NumPy's, or PyTorch's file of tensors.

    The kind is told by the contents. PyTorch's files, those of before 1.6 too, are read by an
    unpickler that knows what tensors, containers, dates, paths and NumPy's arrays need and refuses
    all else: no code of such a file is ever run. Tensors that share a storage there share it again.

    Args:
        f: A path, or a binary file that can seek.
        map_location: The device to bring tensors to, or a dict of devices by what the file names;
            a function leaves them on the CPU, as None does.
        pickle_module: Ignored.
        weights_only: False, which None is not, reads the objects, too, that `save` pickled, whole
            modules say, which runs what the file names: for files that you trust. Otherwise those
            are read that name nothing but what stands in `serialization.safe_globals`.
        mmap: Map the file into memory, where it has the format of safetensors: what is never used
            is never read. What is written into such tensors does not reach the file, which must
            not be truncated while they live. None is False.
        encoding: Ignored; older programs give it for what Python 2 wrote.

    Returns:
        The nest that was saved; of a safetensors file of others' a dict by name.

    Raises:
        FileError: The file is broken, cut off, of a kind that is not read, or holds pickled objects
            and is not trusted; nothing of it stays.
        OSError: The file cannot be read.
        DeviceError: The device is not there.

    >>> import io
    >>> file = io.BytesIO()
    >>> gb.save([gb.zeros(1), "text"], file)
    >>> _ = file.seek(0)
    >>> gb.load(file)
    [tensor([0.]), 'text']
    """
    from garboard._arguments import check
    from garboard.io._loading import read

    is_trusted = weights_only is not None and not check.flag("load", "weights_only", weights_only)
    return read(f, map_location, False if mmap is None else mmap, is_trusted)

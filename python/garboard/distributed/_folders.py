"""States that are kept in folders: what several processes would each write a part of, one writes.

A folder has PyTorch's names, `.metadata` and `__0_0.distcp`, and files of `gb.save` under them:
PyTorch reads none of these here, nor do these functions read PyTorch's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from garboard import io
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import printable, shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor
from garboard.futures import Future

__all__ = [
    "CheckpointException",
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "FileSystemReader",
    "FileSystemWriter",
    "Metadata",
    "Stateful",
    "StorageReader",
    "StorageWriter",
    "async_save",
    "load",
    "load_state_dict",
    "save",
    "save_state_dict",
]

_Folder = str | PathLike[str]
_DATA, _METADATA = "__0_0.distcp", ".metadata"


class CheckpointException(ArgumentError):  # noqa: N818 - PyTorch's name
    """A folder in which something is missing that is to be loaded."""


@runtime_checkable
class Stateful(Protocol):
    """What has a state: a module, an optimizer, or a program's own object.

    >>> from garboard.distributed._folders import Stateful
    >>> things: list[object] = [gb.nn.Linear(1, 1), 3]
    >>> [isinstance(it, Stateful) for it in things]
    [True, False]
    """

    def state_dict(self) -> dict[str, Any]:
        """Return the state."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take a state over."""
        ...


class Metadata(NamedTuple):
    """What a folder has: the sizes and dtype of each tensor, and None for what is none."""

    state_dict_metadata: dict[str, tuple[tuple[int, ...], str] | None]


class _Storage:
    """A folder.

    Args:
        path: Where it is.
        **named: PyTorch's options of how to write and read, without effect.

    Raises:
        TypeError: `path` is no path.
    """

    def __init__(self, path: _Folder, **named: object) -> None:
        self.path: Path = Path(_path(type(self).__name__, "path", path))


def _path(op: str, name: str, given: Any) -> str:
    if not isinstance(given, (str, PathLike)):
        raise TypeError(f"{op}: {name} is of type {type(given).__name__}; a path is needed")
    return fspath(given)


class StorageWriter(_Storage):
    """Where to write a state: a folder, which is made.

    Args:
        path: Where it is.
        **named: PyTorch's options of how to write, without effect.

    Raises:
        TypeError: `path` is no path.

    >>> from garboard.distributed import checkpoint
    >>> str(checkpoint.FileSystemWriter("states").path)
    'states'
    """


class StorageReader(_Storage):
    """Where to read a state from: a folder.

    Args:
        path: Where it is.
        **named: PyTorch's options of how to read, without effect.

    Raises:
        TypeError: `path` is no path.

    >>> from garboard.distributed import checkpoint
    >>> str(checkpoint.FileSystemReader("states").path)
    'states'
    """

    def read_metadata(self) -> Metadata:
        """Return what the folder has.

        Raises:
            CheckpointException: It is none that `save` wrote.
        """
        return _metadata("read_metadata", self.path)


FileSystemWriter: type[StorageWriter] = StorageWriter
FileSystemReader: type[StorageReader] = StorageReader


class DefaultSavePlanner:
    """How a state is written: there is one way.

    Args:
        **named: PyTorch's options, without effect.
    """

    def __init__(self, **named: object) -> None: ...


class DefaultLoadPlanner:
    """How a state is read.

    Args:
        allow_partial_load: Leave what the folder has not as it is.
        **named: PyTorch's other options, without effect.

    Raises:
        TypeError: `allow_partial_load` is no bool.
    """

    def __init__(self, *, allow_partial_load: bool = False, **named: object) -> None:
        op = "DefaultLoadPlanner"
        self.allow_partial_load: bool = check.flag(op, "allow_partial_load", allow_partial_load)


def _folder_of(op: str, checkpoint_id: _Folder | None, storage: Any, kind: type[_Storage]) -> Path:
    if checkpoint_id is not None:
        return Path(_path(op, "checkpoint_id", checkpoint_id))
    if storage is None:
        raise ArgumentError(f"{op}: no checkpoint_id; a folder, or a {kind.__name__}, is needed")
    return check.of_type(kind, op, "storage", storage).path


def _states_of(op: str, state_dict: Any) -> dict[str, Any]:
    given: Mapping[str, Any] = check.of_type(dict, op, "state_dict", state_dict)
    return {key: it.state_dict() if _has_state(it) else it for key, it in given.items()}


def _has_state(value: object) -> bool:
    return isinstance(value, Stateful) and not isinstance(value, type)


def _leaves(nest: Any, path: str = "") -> Iterator[tuple[str, Any, Any, Any]]:
    """Each value that is no dict and no list: its path, what holds it, under which key, itself."""
    pairs = nest.items() if isinstance(nest, dict) else enumerate(nest)
    for key, value in list(pairs):
        name = f"{path}.{key}" if path else str(key)
        if isinstance(value, (dict, list)) and value:
            yield from _leaves(value, name)
        else:
            yield name, nest, key, value


def _metadata(op: str, folder: Path) -> Metadata:
    try:
        found: Any = io.load(folder / _METADATA)
    except FileNotFoundError:
        raise CheckpointException(
            f"{op}: {shown(str(folder))} has no {_METADATA}; a folder that save() wrote is needed"
        ) from None
    return Metadata(found)


def save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: _Folder | None = None,
    storage_writer: StorageWriter | None = None,
    planner: DefaultSavePlanner | None = None,
    process_group: object = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata:
    """Write a state into a folder, which is made where it is not there.

    Args:
        state_dict: A dict of tensors, numbers, texts, dicts and lists of them, and of modules,
            optimizers and others that have a `state_dict`.
        checkpoint_id: The folder.
        storage_writer: Or a `FileSystemWriter` of it.
        planner: Heard, as all that follow: one process writes all.
        process_group: Ignored.
        no_dist: Ignored.
        use_collectives: Ignored.

    Returns:
        What the folder has.

    Raises:
        OSError: It cannot be written.
        ValueError: There is neither a folder nor a writer, or two values are at one path.
        TypeError: The state is no dict, or holds what cannot be saved.

    >>> import tempfile
    >>> from garboard.distributed import checkpoint
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = checkpoint.save({"x": gb.ones(2), "step": 5}, checkpoint_id=folder)
    ...     state = {"x": gb.zeros(2), "step": 0}
    ...     checkpoint.load(state, checkpoint_id=folder)
    >>> state
    {'x': tensor([1., 1.]), 'step': 5}
    """
    op = "save"
    folder = _folder_of(op, checkpoint_id, storage_writer, StorageWriter)
    states = _states_of(op, state_dict)
    flat: dict[str, Any] = {}
    for name, _, _, value in _leaves(states):
        if name in flat:
            raise ArgumentError(
                f"{op}: two values are at {printable(name)}; keys whose paths differ are needed"
            )
        flat[name] = value
    told = {
        name: (tuple(it.shape), str(it.dtype)) if is_really(it, Tensor) else None
        for name, it in flat.items()
    }
    folder.mkdir(parents=True, exist_ok=True)
    io.save(flat, folder / _DATA)
    io.save(told, folder / _METADATA)
    return Metadata(told)


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: _Folder | None = None,
    storage_reader: StorageReader | None = None,
    planner: DefaultLoadPlanner | None = None,
    process_group: object = None,
    no_dist: bool = False,
) -> None:
    """Read a state from a folder into the tensors of one like it, and in place of other values.

    Args:
        state_dict: A dict as `save` takes it: its tensors are written, what is none is replaced,
            and modules and optimizers load their states.
        checkpoint_id: The folder.
        storage_reader: Or a `FileSystemReader` of it.
        planner: A `DefaultLoadPlanner`, which may allow that something is missing.
        process_group: Ignored.
        no_dist: Ignored.

    Raises:
        CheckpointException: The folder is none that `save` wrote, or has not all of the state.
        ShapeError: A tensor of other sizes; nothing is written then.
        ValueError: There is neither a folder nor a reader.
        TypeError: The state is no dict.

    >>> import tempfile
    >>> from garboard.distributed import checkpoint
    >>> layer, other = gb.nn.Linear(2, 1), gb.nn.Linear(2, 1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = checkpoint.save({"layer": layer}, checkpoint_id=folder)
    ...     checkpoint.load({"layer": other}, checkpoint_id=folder)
    >>> gb.equal(layer.weight, other.weight)
    True
    """
    op = "load"
    folder = _folder_of(op, checkpoint_id, storage_reader, StorageReader)
    _metadata(op, folder)
    found = check.of_type(dict, op, "the folder's state", io.load(folder / _DATA))
    states = _states_of(op, state_dict)
    wanted = list(_leaves(states))
    missing = [name for name, *_ in wanted if name not in found]
    if missing and not getattr(planner, "allow_partial_load", False):
        raise CheckpointException(
            f"{op}: Missing key in checkpoint state_dict: {printable(missing[0])}; what save() was "
            "given, or a planner that allows a partial load, is needed"
        )
    for name, _, _, value in wanted:
        kept = found.get(name)
        if is_really(value, Tensor) and is_really(kept, Tensor) and value.shape != kept.shape:
            raise ShapeError(
                f"{op}: {printable(name)} of sizes {list(value.shape)}, and {list(kept.shape)} in "
                "the folder; they must be equal"
            )
    with no_grad():
        for name, nest, key, value in wanted:
            if name in missing:
                continue
            if is_really(value, Tensor) and is_really(found[name], Tensor):
                value.copy_(found[name])
            else:
                nest[key] = found[name]
    for key, value in state_dict.items():
        if _has_state(value):
            value.load_state_dict(states[key])
        else:
            state_dict[key] = states[key]


def async_save(state_dict: dict[str, Any], **named: Any) -> Future[None]:
    """Write a state into a folder, before this returns.

    Args:
        state_dict: As for `save`.
        **named: What `save` takes by name; others of PyTorch's are ignored.

    Returns:
        A future, which is done.

    Raises:
        OSError: The folder cannot be written.
        ValueError: There is neither a folder nor a writer.
        TypeError: The state is no dict, or holds what cannot be saved.

    >>> import tempfile
    >>> from garboard.distributed import checkpoint
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint.async_save({"x": gb.ones(2)}, checkpoint_id=folder).done()
    True
    """
    names = ("checkpoint_id", "storage_writer", "planner", "process_group")
    save(state_dict, **{name: named[name] for name in names if name in named})
    made: Future[None] = Future()
    made.set_result(None)
    return made


def save_state_dict(
    state_dict: dict[str, Any], storage_writer: StorageWriter, *given: object, **named: object
) -> Metadata:
    """`save` under its older name.

    Args:
        state_dict: As for `save`.
        storage_writer: Likewise.
        *given: Ignored.
        **named: Ignored.

    Returns:
        What the folder has.

    Raises:
        OSError: It cannot be written.
        TypeError: The state is no dict.

    >>> import tempfile
    >>> from garboard.distributed import checkpoint
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = checkpoint.save_state_dict(
    ...         {"x": gb.ones(2)}, checkpoint.FileSystemWriter(folder)
    ...     )
    >>> made.state_dict_metadata
    {'x': ((2,), 'garboard.float32')}
    """
    return save(state_dict, storage_writer=storage_writer)


def load_state_dict(
    state_dict: dict[str, Any], storage_reader: StorageReader, *given: object, **named: object
) -> None:
    """`load` under its older name.

    Args:
        state_dict: As for `load`.
        storage_reader: Likewise.
        *given: Ignored.
        **named: Ignored.

    Raises:
        CheckpointException: The folder is none that `save` wrote, or has not all of the state.
        TypeError: The state is no dict.

    >>> import tempfile
    >>> from garboard.distributed import checkpoint
    >>> x = {"x": gb.zeros(2)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = checkpoint.save({"x": gb.ones(2)}, checkpoint_id=folder)
    ...     checkpoint.load_state_dict(x, checkpoint.FileSystemReader(folder))
    >>> x["x"]
    tensor([1., 1.])
    """
    load(state_dict, storage_reader=storage_reader)

"""The group of all processes, which is this one: opened, asked, and closed again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import count
from typing import ClassVar, TypeAlias

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard.distributed._stores import Store, refuse_several

__all__ = [
    "Backend",
    "GroupMember",
    "ProcessGroup",
    "destroy_process_group",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "new_group",
]


class Backend(str):
    """What would carry tensors from process to process, by its name in small letters.

    Args:
        name: The name.

    Raises:
        TypeError: It is no text.
        ValueError: It cannot be printed.

    >>> gb.distributed.Backend("GLOO") == gb.distributed.Backend.GLOO
    True
    """

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    MPI = "mpi"
    UCC = "ucc"
    XCCL = "xccl"

    backend_list: ClassVar[list[str]] = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI]

    def __new__(cls, name: str) -> str:  # type: ignore[misc]
        if not check.text("Backend", "name", name).isprintable():
            raise ValueError(f"Backend: the name {shown(name)}; one that can be printed is needed")
        return name.lower()  # a plain text, as in PyTorch


class ProcessGroup:
    """Processes that work together: `init_process_group` and `new_group` make one, of this process.

    Args:
        backend: The name that it tells.

    >>> def average(group: gb.distributed.ProcessGroup | None = None) -> None: ...
    """

    group_name: str
    _names: ClassVar[Iterator[int]] = count()

    def __init__(self, backend: str = Backend.UNDEFINED) -> None:
        self._backend: str = Backend(backend)
        self.group_name = str(next(self._names))

    def rank(self) -> int:
        """Return 0: this process is the first of the group.

        >>> gb.distributed.ProcessGroup().rank()
        0
        """
        return 0

    def size(self) -> int:
        """Return 1: no other process is in the group.

        >>> gb.distributed.ProcessGroup().size()
        1
        """
        return 1

    def name(self) -> str:
        """Return the name of the backend.

        >>> gb.distributed.ProcessGroup("gloo").name()
        'gloo'
        """
        return self._backend


class group:
    """The group of all processes: `WORLD` is this one alone, once it is opened.

    >>> gb.distributed.group.WORLD is None
    True
    """

    WORLD: ClassVar[ProcessGroup | None] = None


GroupMember: TypeAlias = group
"""Another name of `group`."""

_GROUPS: set[ProcessGroup] = set()


def is_available() -> bool:
    """Return whether a group is open: what joins processes is there for the one alone.

    >>> gb.distributed.is_available()
    False
    """
    return is_initialized()


def is_initialized() -> bool:
    """Return whether `init_process_group` was called.

    >>> gb.distributed.is_initialized()
    False
    """
    return group.WORLD is not None


def is_gloo_available() -> bool:
    """Return False: nothing carries tensors to other processes.

    >>> gb.distributed.is_gloo_available()
    False
    """
    return False


def is_mpi_available() -> bool:
    """Return False: nothing carries tensors to other processes.

    >>> gb.distributed.is_mpi_available()
    False
    """
    return False


def is_nccl_available() -> bool:
    """Return False: nothing carries tensors to other processes.

    >>> gb.distributed.is_nccl_available()
    False
    """
    return False


def is_backend_available(backend: str) -> bool:
    """Return False: nothing carries tensors to other processes.

    Args:
        backend: Its name.

    >>> gb.distributed.is_backend_available("gloo")
    False
    """
    return False


def is_torchelastic_launched() -> bool:
    """Return False: nothing starts several processes.

    >>> gb.distributed.is_torchelastic_launched()
    False
    """
    return False


def of_group(op: str, given: object) -> ProcessGroup:
    """The group that a call is for: the one of all where none is given."""
    if group.WORLD is None:
        raise ArgumentError(
            f"distributed.{op}: no process group; init_process_group(rank=0, world_size=1) is "
            "needed first"
        )
    found = group.WORLD if given is None else given
    return check.of_type(ProcessGroup, f"distributed.{op}", "group", found)


def refuse_unless_first(op: str, name: str, rank: object) -> None:
    """Raise where another process than the first is named."""
    if rank is not None and check.integer(f"distributed.{op}", name, rank) != 0:
        raise ArgumentError(
            f"distributed.{op}: {name} {shown(rank)}; the one process has the rank 0, which is "
            "needed"
        )


def _from_environment(name: str, given: int) -> int:
    if given != -1:
        return given
    if name not in os.environ:
        raise ArgumentError(
            f"init_process_group: no {name.lower()}; rank=0 and world_size=1 are needed, or the "
            f"environment's {name}"
        )
    return int(os.environ[name])


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: object = None,
    device_id: int | _engine.device | None = None,
) -> None:
    """Open the group of all processes, which is of this one.

    So programs for several processes run alone: what they send each other stays where it is.

    Args:
        backend: A name, "gloo" or "nccl" say, that `get_backend` tells; none is used.
        init_method: How processes would find each other; no port and no file is opened.
        timeout: Ignored.
        world_size: 1; or -1, for what the environment tells in `WORLD_SIZE`.
        rank: 0; or -1, for what the environment tells in `RANK`.
        store: Ignored.
        group_name: Ignored.
        pg_options: Ignored.
        device_id: Ignored.

    Raises:
        NotImplementedError: Several processes.
        ValueError: The group is open, or neither arguments nor environment tell rank and size.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> gb.distributed.get_rank(), gb.distributed.get_world_size(), gb.distributed.get_backend()
    (0, 1, 'gloo')
    >>> gb.distributed.destroy_process_group()
    """
    op = "init_process_group"
    if group.WORLD is not None:
        raise ArgumentError(f"{op}: the group is open; destroy_process_group() is needed first")
    if store is not None:
        check.of_type(Store, op, "store", store)
    size = _from_environment("WORLD_SIZE", world_size)
    refuse_several(op, size)
    number = check.integer(op, "rank", _from_environment("RANK", rank))
    if number != 0:
        raise ArgumentError(f"{op}: rank {number} of 1; 0 is needed")
    group.WORLD = ProcessGroup(Backend.UNDEFINED if backend is None else backend)
    _GROUPS.add(group.WORLD)


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Close a group.

    Args:
        group: One that `new_group` made; that of all, and with it all others, by default.

    Raises:
        ValueError: No group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> gb.distributed.destroy_process_group()
    >>> gb.distributed.is_initialized()
    False
    """
    closed = of_group("destroy_process_group", group)
    if closed is GroupMember.WORLD:
        GroupMember.WORLD = None
        _GROUPS.clear()
    _GROUPS.discard(closed)


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: object = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: int | _engine.device | None = None,
) -> ProcessGroup:
    """Return another group of the one process.

    Args:
        ranks: `[0]`, the default.
        timeout: Ignored.
        backend: A name; that of the group of all by default.
        pg_options: Ignored.
        use_local_synchronization: Ignored.
        group_desc: Ignored.
        device_id: Ignored.

    Raises:
        ValueError: Other ranks, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> gb.distributed.get_world_size(gb.distributed.new_group([0]))
    1
    >>> gb.distributed.destroy_process_group()
    """
    world = of_group("new_group", None)
    if ranks is not None and list(ranks) != [0]:
        raise ArgumentError(
            f"distributed.new_group: ranks {list(ranks)}; there is one process, so [0] is needed"
        )
    made = ProcessGroup(world._backend if backend is None else backend)
    _GROUPS.add(made)
    return made


def get_rank(group: ProcessGroup | None = None) -> int:
    """Return 0: the one process is the first.

    Args:
        group: Ignored.

    >>> gb.distributed.get_rank()
    0
    """
    return 0


def get_world_size(group: ProcessGroup | None = None) -> int:
    """Return 1: there is one process a program.

    Args:
        group: Ignored.

    >>> gb.distributed.get_world_size()
    1
    """
    return 1


def get_backend(group: ProcessGroup | None = None) -> str:
    """Return the name that a group was opened with.

    Args:
        group: That of all by default.

    Raises:
        ValueError: No group is open.

    >>> gb.distributed.init_process_group("nccl", rank=0, world_size=1)
    >>> gb.distributed.get_backend()
    'nccl'
    >>> gb.distributed.destroy_process_group()
    """
    return of_group("get_backend", group)._backend


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """Return the ranks of a group's processes.

    Args:
        group: The group.

    >>> gb.distributed.get_process_group_ranks(None)
    [0]
    """
    return [0]


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Return the rank among all of a process of a group.

    Args:
        group: The group.
        group_rank: Its rank there, 0.

    Raises:
        ValueError: Another rank, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> gb.distributed.get_global_rank(gb.distributed.new_group(), 0)
    0
    >>> gb.distributed.destroy_process_group()
    """
    of_group("get_global_rank", group)
    refuse_unless_first("get_global_rank", "group_rank", group_rank)
    return 0


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Return the rank in a group of a process.

    Args:
        group: The group.
        global_rank: Its rank among all, 0.

    Raises:
        ValueError: Another rank, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> gb.distributed.get_group_rank(gb.distributed.new_group(), 0)
    0
    >>> gb.distributed.destroy_process_group()
    """
    of_group("get_group_rank", group)
    refuse_unless_first("get_group_rank", "global_rank", global_rank)
    return 0


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the rank among the processes of this machine.

    Args:
        fallback_rank: What is returned where the environment has no `LOCAL_RANK`.

    Raises:
        RuntimeError: Neither tells it.

    >>> gb.distributed.get_node_local_rank(0)
    0
    """
    environment: Mapping[str, str] = os.environ
    if "LOCAL_RANK" in environment:
        return int(environment["LOCAL_RANK"])
    if fallback_rank is None:
        raise ArgumentError(
            "distributed.get_node_local_rank: no LOCAL_RANK in the environment; it or "
            "fallback_rank is needed"
        )
    return check.integer("distributed.get_node_local_rank", "fallback_rank", fallback_rank)

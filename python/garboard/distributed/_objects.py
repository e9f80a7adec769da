"""Objects that processes send each other, where there is one: it gets what it has sent."""

from __future__ import annotations

from copy import deepcopy
from typing import TypeVar

from garboard import _engine
from garboard._arguments.errors import ArgumentError
from garboard.distributed._group import ProcessGroup, of_group, refuse_unless_first

__all__ = [
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "scatter_object_list",
]

_T = TypeVar("_T")


def _put(op: str, name: str, target: list[_T] | None, given: _T) -> None:
    """Put a copy, as one that was sent would be, into a list with a place a process."""
    if target is None:
        raise ArgumentError(f"distributed.{op}: no {name}; a list with one place is needed")
    if not isinstance(target, list):
        raise TypeError(
            f"distributed.{op}: {name} is of type {type(target).__name__}; a list is needed"
        )
    if not target:
        raise ArgumentError(f"distributed.{op}: {name} is empty; one place a process is needed")
    target[0] = deepcopy(given)


def all_gather_object(object_list: list[_T], obj: _T, group: ProcessGroup | None = None) -> None:
    """Put copies of the objects of all processes into the lists of all.

    Args:
        object_list: A list with one place, which is written to.
        obj: The object.
        group: That of all by default.

    Raises:
        ValueError: The list is empty, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = [{}]
    >>> gb.distributed.all_gather_object(made, {"loss": 0.5})
    >>> made
    [{'loss': 0.5}]
    >>> gb.distributed.destroy_process_group()
    """
    of_group("all_gather_object", group)
    _put("all_gather_object", "object_list", object_list, obj)


def gather_object(
    obj: _T,
    object_gather_list: list[_T] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    group_dst: int | None = None,
) -> None:
    """Put copies of the objects of all processes into the list of one.

    Args:
        obj: The object.
        object_gather_list: A list with one place, which is written to.
        dst: The process that gets them, 0.
        group: That of all by default.
        group_dst: The process in the group.

    Raises:
        ValueError: No list, another process, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = [{}]
    >>> gb.distributed.gather_object({"loss": 0.5}, made)
    >>> made
    [{'loss': 0.5}]
    >>> gb.distributed.destroy_process_group()
    """
    of_group("gather_object", group)
    refuse_unless_first("gather_object", "dst", dst)
    refuse_unless_first("gather_object", "group_dst", group_dst)
    _put("gather_object", "object_gather_list", object_gather_list, obj)


def broadcast_object_list(
    object_list: list[_T],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: int | str | _engine.device | None = None,
    group_src: int | None = None,
) -> None:
    """Give all processes the objects of one, which has them.

    Args:
        object_list: The objects.
        src: The process that has them, 0.
        group: That of all by default.
        device: Ignored.
        group_src: The process in the group.

    Raises:
        ValueError: Another process, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> gb.distributed.broadcast_object_list([{"loss": 0.5}], 0)
    >>> gb.distributed.destroy_process_group()
    """
    of_group("broadcast_object_list", group)
    refuse_unless_first("broadcast_object_list", "src", src)
    refuse_unless_first("broadcast_object_list", "group_src", group_src)


def scatter_object_list(
    scatter_object_output_list: list[_T],
    scatter_object_input_list: list[_T] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    group_src: int | None = None,
) -> None:
    """Put a copy of its object of one process's list into the list of each.

    Args:
        scatter_object_output_list: A list with one place, which is written to.
        scatter_object_input_list: A list of one object.
        src: The process that has it, 0.
        group: That of all by default.
        group_src: The process in the group.

    Raises:
        ValueError: No list of one object, another process, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = [{}]
    >>> gb.distributed.scatter_object_list(made, [{"loss": 0.5}])
    >>> made
    [{'loss': 0.5}]
    >>> gb.distributed.destroy_process_group()
    """
    op = "scatter_object_list"
    of_group(op, group)
    refuse_unless_first(op, "src", src)
    refuse_unless_first(op, "group_src", group_src)
    if scatter_object_input_list is None or len(scatter_object_input_list) != 1:
        raise ArgumentError(
            f"distributed.{op}: scatter_object_input_list has not one object; one a process is "
            "needed"
        )
    _put(op, "scatter_object_output_list", scatter_object_output_list, scatter_object_input_list[0])

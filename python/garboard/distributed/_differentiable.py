"""What processes send each other, with gradients: functions of `distributed.nn`.

With one process each returns what it is given; other tensors, so that a graph has the call in it.
"""

from __future__ import annotations

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.distributed._group import ProcessGroup, of_group, refuse_unless_first
from garboard.distributed._work import ReduceOp

__all__ = ["all_gather", "all_reduce", "broadcast", "reduce"]


def all_reduce(tensor: Tensor, op: str = ReduceOp.SUM, group: ProcessGroup | None = None) -> Tensor:
    """Return the tensors of all processes, joined: a copy of the one."""
    of_group("nn.all_reduce", group)
    return check.tensor("distributed.nn.all_reduce", "tensor", tensor).clone()


def all_gather(tensor: Tensor, group: ProcessGroup | None = None) -> tuple[Tensor, ...]:
    """Return the tensors of all processes: a copy of the one."""
    return (all_reduce(tensor, group=group),)


def broadcast(tensor: Tensor, src: int, group: ProcessGroup | None = None) -> Tensor:
    """Return the tensor of one process, a copy."""
    refuse_unless_first("nn.broadcast", "src", src)
    return all_reduce(tensor, group=group)


def reduce(
    tensor: Tensor, dst: int, op: str = ReduceOp.SUM, group: ProcessGroup | None = None
) -> Tensor:
    """Return the tensors of all processes, joined, at one: a copy of the one."""
    refuse_unless_first("nn.reduce", "dst", dst)
    return all_reduce(tensor, group=group)

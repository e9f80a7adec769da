"""What all processes give each other, where there is one: it gets what it has sent.

Each checks what PyTorch's checks of one process, so that a mistake is told before there are more.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.distributed._group import ProcessGroup, of_group
from garboard.distributed._work import (
    ReduceOp,
    Works,
    checked,
    copied,
    only_tensor,
    refuse_unless_joinable,
    refuse_unless_one,
    work,
)

__all__ = [
    "all_gather",
    "all_gather_into_tensor",
    "all_reduce",
    "barrier",
    "broadcast",
    "monitored_barrier",
    "reduce",
]


def all_reduce(
    tensor: Tensor,
    op: str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Works | None:
    """Join the tensors of all processes in each: the one stays what it is.

    Args:
        tensor: The tensor.
        op: A member of `ReduceOp`; integers alone have BAND, BOR and BXOR.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: No group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> x = gb.ones(2)
    >>> work = gb.distributed.all_reduce(x, async_op=True)
    >>> work and work.result()
    [tensor([1., 1.])]
    >>> gb.distributed.destroy_process_group()
    """
    given = checked("all_reduce", "tensor", tensor, group)
    refuse_unless_joinable("all_reduce", given, op)
    return work([given], async_op)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Works | None:
    """Join the tensors of all processes in one: it stays what it is.

    Args:
        tensor: The tensor.
        dst: The process that gets it, 0.
        op: A member of `ReduceOp`; integers alone have BAND, BOR and BXOR.
        group_dst: The same, in the group.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: Another process, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> gb.distributed.reduce(gb.ones(2), 0)
    >>> gb.distributed.destroy_process_group()
    """
    given = checked("reduce", "tensor", tensor, group)
    refuse_unless_one("reduce", dst=dst, group_dst=group_dst)
    refuse_unless_joinable("reduce", given, op)
    return work([given], async_op)


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Works | None:
    """Give all processes the tensor of one, which has it.

    Args:
        tensor: The tensor.
        src: The process that has it, 0.
        group_src: The same, in the group.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: Another process, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> gb.distributed.broadcast(gb.ones(2), 0)
    >>> gb.distributed.destroy_process_group()
    """
    given = checked("broadcast", "tensor", tensor, group)
    refuse_unless_one("broadcast", src=src, group_src=group_src)
    return work([given], async_op)


def all_gather(
    tensor_list: Sequence[Tensor],
    tensor: Tensor,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Works | None:
    """Copy the tensors of all processes into the lists of all.

    Args:
        tensor_list: One tensor, which is written to.
        tensor: What is copied.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: Another number of tensors, other sizes, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = [gb.zeros(2)]
    >>> gb.distributed.all_gather(made, gb.ones(2))
    >>> made
    [tensor([1., 1.])]
    >>> gb.distributed.destroy_process_group()
    """
    given = checked("all_gather", "tensor", tensor, group)
    target = only_tensor("all_gather", "tensor_list", tensor_list)
    copied("all_gather", target, given)
    return work([target], async_op)


def all_gather_into_tensor(
    output_tensor: Tensor,
    input_tensor: Tensor,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Works | None:
    """Copy the tensors of all processes into one, side by side.

    Args:
        output_tensor: What is written to.
        input_tensor: What is copied, of as many elements.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: Other sizes, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = gb.zeros(2)
    >>> gb.distributed.all_gather_into_tensor(made, gb.ones(2))
    >>> made
    tensor([1., 1.])
    >>> gb.distributed.destroy_process_group()
    """
    given = checked("all_gather_into_tensor", "input_tensor", input_tensor, group)
    target = check.tensor("distributed.all_gather_into_tensor", "output_tensor", output_tensor)
    copied("all_gather_into_tensor", target, given)
    return work([target], async_op)


def barrier(
    group: ProcessGroup | None = None,
    async_op: bool = False,
    device_ids: Sequence[int] | None = None,
) -> Works | None:
    """Return, as no other process is waited for.

    Args:
        group: That of all by default.
        async_op: Return a Work, which is done.
        device_ids: Ignored.

    Returns:
        None, or a Work.

    Raises:
        ValueError: No group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> gb.distributed.barrier()
    >>> gb.distributed.destroy_process_group()
    """
    of_group("barrier", group)
    return work([], async_op)


def monitored_barrier(
    group: ProcessGroup | None = None,
    timeout: timedelta | None = None,
    wait_all_ranks: bool = False,
) -> None:
    """Return, as no other process is waited for.

    Args:
        group: That of all by default.
        timeout: Ignored.
        wait_all_ranks: Ignored.

    Raises:
        ValueError: No group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> gb.distributed.monitored_barrier()
    >>> gb.distributed.destroy_process_group()
    """
    of_group("monitored_barrier", group)

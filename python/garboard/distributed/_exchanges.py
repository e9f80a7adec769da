"""What processes give some others, where there is one: it gets what it has sent.

Each checks what PyTorch's checks of one process, so that a mistake is told before there are more.
"""

from __future__ import annotations

from collections.abc import Sequence

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
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
    "all_to_all",
    "all_to_all_single",
    "gather",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
]


def gather(
    tensor: Tensor,
    gather_list: Sequence[Tensor] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Works | None:
    """Copy the tensors of all processes into the list of one.

    Args:
        tensor: What is copied.
        gather_list: One tensor, which is written to.
        dst: The process that gets them, 0.
        group_dst: The same, in the group.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: No list, another process, other sizes, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = [gb.zeros(2)]
    >>> gb.distributed.gather(gb.ones(2), made)
    >>> made
    [tensor([1., 1.])]
    >>> gb.distributed.destroy_process_group()
    """
    given = checked("gather", "tensor", tensor, group)
    refuse_unless_one("gather", dst=0 if dst is None else dst, group_dst=group_dst)
    if gather_list is None:
        raise ArgumentError("distributed.gather: no gather_list; a list of one tensor is needed")
    target = only_tensor("gather", "gather_list", gather_list)
    copied("gather", target, given)
    return work([target], async_op)


def scatter(
    tensor: Tensor,
    scatter_list: Sequence[Tensor] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Works | None:
    """Copy to each process its tensor of a list of one.

    Args:
        tensor: What is written to.
        scatter_list: One tensor, which is copied.
        src: The process that has the list, 0.
        group_src: The same, in the group.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: No list, another process, other sizes, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = gb.zeros(2)
    >>> gb.distributed.scatter(made, [gb.ones(2)])
    >>> made
    tensor([1., 1.])
    >>> gb.distributed.destroy_process_group()
    """
    target = checked("scatter", "tensor", tensor, group)
    refuse_unless_one("scatter", src=0 if src is None else src, group_src=group_src)
    if scatter_list is None:
        raise ArgumentError("distributed.scatter: no scatter_list; a list of one tensor is needed")
    copied("scatter", target, only_tensor("scatter", "scatter_list", scatter_list))
    return work([target], async_op)


def reduce_scatter(
    output: Tensor,
    input_list: Sequence[Tensor],
    op: str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Works | None:
    """Join lists of all processes, and copy to each its tensor.

    Args:
        output: What is written to.
        input_list: One tensor, which is copied.
        op: A member of `ReduceOp`; integers alone have BAND, BOR and BXOR.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: Another number of tensors, other sizes, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = gb.zeros(2)
    >>> gb.distributed.reduce_scatter(made, [gb.ones(2)])
    >>> made
    tensor([1., 1.])
    >>> gb.distributed.destroy_process_group()
    """
    target = checked("reduce_scatter", "output", output, group)
    given = only_tensor("reduce_scatter", "input_list", input_list)
    refuse_unless_joinable("reduce_scatter", given, op)
    copied("reduce_scatter", target, given)
    return work([target], async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Works | None:
    """Join tensors of all processes, and copy to each its part.

    Args:
        output: What is written to.
        input: What is copied, of as many elements.
        op: A member of `ReduceOp`; integers alone have BAND, BOR and BXOR.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: Other sizes, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = gb.zeros(2)
    >>> gb.distributed.reduce_scatter_tensor(made, gb.ones(2))
    >>> made
    tensor([1., 1.])
    >>> gb.distributed.destroy_process_group()
    """
    target = checked("reduce_scatter_tensor", "output", output, group)
    given = check.tensor("distributed.reduce_scatter_tensor", "input", input)
    refuse_unless_joinable("reduce_scatter_tensor", given, op)
    copied("reduce_scatter_tensor", target, given)
    return work([target], async_op)


def all_to_all(
    output_tensor_list: Sequence[Tensor],
    input_tensor_list: Sequence[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Works | None:
    """Copy to each process its tensor of the list of each.

    Args:
        output_tensor_list: One tensor, which is written to.
        input_tensor_list: One tensor, which is copied.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: Another number of tensors, other sizes, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = [gb.zeros(2)]
    >>> gb.distributed.all_to_all(made, [gb.ones(2)])
    >>> made
    [tensor([1., 1.])]
    >>> gb.distributed.destroy_process_group()
    """
    of_group("all_to_all", group)
    target = only_tensor("all_to_all", "output_tensor_list", output_tensor_list)
    copied("all_to_all", target, only_tensor("all_to_all", "input_tensor_list", input_tensor_list))
    return work([target], async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Works | None:
    """Copy to each process its part of the tensor of each.

    Args:
        output: What is written to.
        input: What is copied, of as many elements.
        output_split_sizes: Ignored: there is one part.
        input_split_sizes: Likewise.
        group: That of all by default.
        async_op: Return a Work, which is done.

    Returns:
        None, or a Work.

    Raises:
        ValueError: Other sizes, or no group is open.

    >>> gb.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> made = gb.zeros(2)
    >>> gb.distributed.all_to_all_single(made, gb.ones(2))
    >>> made
    tensor([1., 1.])
    >>> gb.distributed.destroy_process_group()
    """
    target = checked("all_to_all_single", "output", output, group)
    copied(
        "all_to_all_single", target, check.tensor("distributed.all_to_all_single", "input", input)
    )
    return work([target], async_op)

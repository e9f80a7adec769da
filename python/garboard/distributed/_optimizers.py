"""The optimizer that several processes would share the state of: one has all of it."""

from __future__ import annotations

from typing import Any

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard.distributed._group import is_initialized
from garboard.optim import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer):
    """An optimizer whose state the processes of a group spread over them: of one, which has it all.

    It is one of `optimizer_class`, too, and does what that does.

    Args:
        params: As the optimizer's class takes them.
        optimizer_class: Which.
        process_group: Ignored.
        parameters_as_bucket_view: Ignored, as what follows.
        overlap_with_ddp: Ignored.
        **defaults: The options of the optimizer.

    Raises:
        NotImplementedError: No group is open.
        TypeError: `optimizer_class` is none, or it does not take what is given.

    >>> gb.distributed.init_process_group(rank=0, world_size=1)
    >>> optimizer = gb.distributed.ZeroRedundancyOptimizer(
    ...     [gb.ones(1, requires_grad=True)], gb.optim.SGD, lr=0.1
    ... )
    >>> isinstance(optimizer, gb.optim.SGD), optimizer.param_groups[0]["lr"]
    (True, 0.1)
    >>> gb.distributed.destroy_process_group()
    """

    def __new__(
        cls,
        params: Any = None,
        optimizer_class: type[Optimizer] | None = None,
        process_group: object = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> Any:
        op = "ZeroRedundancyOptimizer"
        if cls is not ZeroRedundancyOptimizer:  # one that is made below, or copied
            return super().__new__(cls)
        if not is_initialized():
            raise NotImplementedError(
                f"{op}: there is one process a program; use its optimizer_class by itself, or open "
                "a group of one by init_process_group(rank=0, world_size=1)"
            )
        if not isinstance(optimizer_class, type) or not issubclass(optimizer_class, Optimizer):
            raise TypeError(f"{op}: optimizer_class is {shown(optimizer_class)}; a class is needed")
        kind = type(op, (_Alone, optimizer_class), {"__module__": cls.__module__})
        return kind(params, **defaults)

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Do nothing: the one process has the whole state.

        Args:
            to: 0, the process that is to have it.

        Raises:
            ValueError: Another.

        >>> gb.distributed.init_process_group(rank=0, world_size=1)
        >>> optimizer = gb.distributed.ZeroRedundancyOptimizer(
        ...     [gb.ones(1, requires_grad=True)], optimizer_class=gb.optim.Adam
        ... )
        >>> optimizer.consolidate_state_dict()
        >>> gb.distributed.destroy_process_group()
        """
        if check.integer("consolidate_state_dict", "to", to) != 0:
            raise ValueError(f"consolidate_state_dict: to {shown(to)}; 0, the only one, is needed")

    @property
    def optim(self) -> Optimizer:
        """The optimizer of this process: itself."""
        return self


class _Alone(ZeroRedundancyOptimizer):
    """What is made: an optimizer's class stands behind it."""

    def __init__(self, params: Any = None, *given: Any, **named: Any) -> None:
        if "param_groups" not in vars(self):  # else it has been made by `__new__`
            super().__init__(params, *given, **named)

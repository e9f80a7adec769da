"""Allocations that fail on purpose: what a program does when memory runs out, tested line by line.

An out-of-memory error comes where nobody expects it, between any two allocations. A library's
author cannot wait for one; here each can be had, one at a time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import TracebackType
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import GarboardError, OutOfMemoryError

__all__ = ["fail_allocation", "fail_every_allocation"]


class fail_allocation:
    """Let the `number`-th allocation made in a block fail with `OutOfMemoryError`.

    Counted are all bytes that a tensor gets of its own, on every device, however few, when they are
    asked for by the thread that entered the block: results, gradients, temporaries. Views, empty
    tensors and memory that is not ours (NumPy's, say) count nothing. The allocations after the
    failed one succeed. Outside such blocks this costs nothing.

    Args:
        number: Which to fail, from 1; 0 fails none and only counts.

    Attributes:
        count: Allocations asked for in the block so far, the failed one too.
        has_failed: Whether it came to the allocation with this number.

    Raises:
        TypeError, ValueError: `number` is no integer, or below 0.

    >>> with gb.memory.fail_allocation(2) as plan:
    ...     x = gb.ones(3)
    ...     try:
    ...         y = x + 1
    ...     except gb.OutOfMemoryError:
    ...         y = x
    >>> plan.count, plan.has_failed, y is x
    (2, True, True)
    """

    def __init__(self, number: int) -> None:
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(
                f"fail_allocation: number is of type {type(number).__name__}; an integer is needed"
            )
        if number < 0:
            raise ValueError(f"fail_allocation: number {shown(number)}; it must be 0 or more")
        self.number = number
        self.count: int = 0
        self._counting: _engine._FailingAllocation | None = None

    @property
    def has_failed(self) -> bool:
        """Whether it has come to the allocation with this number."""
        count = self._counting.count if self._counting is not None else self.count
        return 0 < self.number <= count

    def __enter__(self) -> fail_allocation:
        if self._counting is not None:
            raise GarboardError("fail_allocation: entered twice; make one for each block")
        self._counting = _engine._FailingAllocation(self.number)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._counting is not None:
            self.count = self._counting.count
        self._counting = None  # the last reference: counting ends


def fail_every_allocation(run: Callable[[], object]) -> int:
    """Call `run` once for each allocation it makes, and let that one fail.

    First `run` is called as it is, so that what it makes once for good is made. Then the first
    allocation fails, then the second, until a call makes fewer. Each call must raise
    `OutOfMemoryError` or, where `run` caught that, return; and each must leave the live tensors,
    graph nodes and bytes of all devices as they were, after a garbage collection, and the books of
    allocators and registry in agreement. Called with a library's own function, this proves that it
    survives running out of memory on each of its lines.

    Args:
        run: What to call. It starts from the same state each time, and so makes its own inputs or
            leaves those it is given unchanged.

    Returns:
        How many allocations were made to fail.

    Raises:
        TypeError: `run` cannot be called.
        GarboardError: A call left something behind, or the books differ. Other errors of `run`
            pass, with a note that says which allocation had failed.

    >>> gb.memory.fail_every_allocation(lambda: gb.ones(4) + gb.ones(4))
    3
    """
    check.function("fail_every_allocation", "run", run)
    run()
    gc.collect()  # its garbage is nobody's, and must not go in the middle of the next call
    number = 0
    while _is_failed(run, number + 1):
        number += 1
    return number


def _is_failed(run: Callable[[], object], number: int) -> bool:
    """Run with one allocation failing; tell whether it came to that."""
    before = _engine._live_counts()
    with fail_allocation(number) as plan:
        try:
            run()
        except OutOfMemoryError as error:
            if not plan.has_failed:
                raise
            error.__traceback__ = None  # it keeps frames, and with them tensors
        except BaseException as error:
            if plan.has_failed:
                error.add_note(f"after allocation {number} was made to fail")
            raise
    if _engine._live_counts() != before:
        gc.collect()  # what only a reference cycle holds is no leak
    _check_books(before, f"with allocation {number} made to fail")
    return plan.has_failed


def _check_books(before: tuple[Any, ...], when: str) -> None:
    after = _engine._live_counts()
    names = ("aliases", "storages", "graph nodes", "bytes", "foreign bytes")
    for name, had, has in zip(names, before, after, strict=True):
        if had != has:
            raise GarboardError(
                f"fail_every_allocation: {has} {name} live {when}, {had} before; a call must leave "
                "none behind"
            )
    for device, live in after[3].items():
        if (booked := _engine._memory_stats(device)["live_bytes"]) != live:
            raise GarboardError(
                f"fail_every_allocation: the allocator of {device} has {booked} live bytes {when}, "
                f"the registry {live}; they must agree"
            )

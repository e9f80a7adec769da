"""Assertions about lives, for programs and for tests of any kind."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from garboard._arguments import check
from garboard.leaks._errors import LeakError
from garboard.leaks.judging._freed import Expected
from garboard.leaks.reports._report import LeakReport

__all__ = ["ExpectFreed", "expect_freed"]


class ExpectFreed:
    """Made by `expect_freed()`: a context manager, which holds the objects weakly.

    Args:
        objects: As for `expect_freed`.
        reason: Likewise.

    >>> x = gb.ones(3)
    >>> with gb.leaks.expect_freed(x):
    ...     del x
    """

    def __init__(self, objects: tuple[object, ...], reason: str) -> None:
        self._expected = [Expected(thing, reason, 0) for thing in objects]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:  # a traceback keeps its frames, and they what they hold
            return
        found = [leak for it in self._expected if (leak := it.leak(0)) is not None]
        if found:
            raise LeakError(LeakReport(tuple(sorted(found, key=lambda leak: leak.gravity))))


def expect_freed(*objects: object, reason: str = "") -> ExpectFreed:
    """Assert that objects are gone, or disposed, when the block ends.

    What only a reference cycle holds is garbage, and counts as gone. A block that raises is not
    judged.

    Args:
        *objects: Tensors, modules or other objects; held weakly.
        reason: Printed with the finding.

    Returns:
        A context manager.

    Raises:
        TypeError: An object cannot be referred to weakly; `reason` is no string.
        LeakError: From the block's end: one of them lives, and the report says who holds it.

    >>> model = gb.nn.Linear(2, 2)
    >>> with gb.leaks.expect_freed(model, reason="the run is over"):
    ...     del model
    >>> x = gb.ones(3)
    >>> cache = {"x": x}
    >>> with gb.leaks.expect_freed(x):
    ...     del x
    Traceback (most recent call last):
    garboard.leaks._errors.LeakError: 1 leak: ...
    """
    return ExpectFreed(objects, check.text("expect_freed", "reason", reason))

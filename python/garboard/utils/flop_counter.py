"""Where programs look for a count of operations: ops are not counted here."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["FlopCounterMode"]


class FlopCounterMode:
    """A block that would count operations: programs may name it, and none is entered.

    Args:
        given: PyTorch's.
        named: Likewise.

    >>> with gb.utils.flop_counter.FlopCounterMode():
    ...     gb.zeros(1)
    Traceback (most recent call last):
    NotImplementedError: FlopCounterMode: ops are not counted; gb.profiler tells times and bytes
    """

    def __init__(self, *given: object, **named: object) -> None:
        pass

    def __enter__(self) -> NoReturn:
        raise NotImplementedError(
            "FlopCounterMode: ops are not counted; gb.profiler tells times and bytes"
        )

    def __exit__(self, *error: object) -> None:
        """Never reached."""

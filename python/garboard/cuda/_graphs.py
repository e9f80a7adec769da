"""What programs ask of recorded work of a device: whether it is being recorded. It never is."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["CUDAGraph", "graph", "is_current_stream_capturing"]


class CUDAGraph:
    """Work of a device, recorded to be started at once: no object is one, ops run as called.

    Raises:
        NotImplementedError: One is asked for.

    >>> isinstance(gb.ones(1), gb.cuda.CUDAGraph)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise NotImplementedError(
            f"{cls.__name__}: work of a device is not recorded; run the ops as they are"
        )


class graph(CUDAGraph):
    """The block that would record it."""


def is_current_stream_capturing() -> bool:
    """Return False: no stream records its work.

    >>> gb.cuda.is_current_stream_capturing()
    False
    """
    return False

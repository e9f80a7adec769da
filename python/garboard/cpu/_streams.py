"""Streams of the CPU, for programs that name any device: an op is done when its call returns."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check

if TYPE_CHECKING:
    from garboard.types import Device

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "current_stream",
    "is_initialized",
    "set_device",
    "stream",
]


class Stream:
    """A line of work on the CPU, which never has any left.

    Args:
        priority: Ignored.

    Raises:
        TypeError: `priority` is no integer.

    >>> with gb.cpu.stream(gb.cpu.Stream()):
    ...     x = gb.ones(1)
    """

    def __init__(self, priority: int = -1) -> None:
        check.integer("Stream", "priority", priority)

    def wait_stream(self, stream: Stream) -> None:
        """Return at once: the other has no work left.

        Args:
            stream: Ignored.

        >>> gb.cpu.Stream().wait_stream(gb.cpu.current_stream())
        """

    def record_event(self) -> None:
        """Do nothing.

        >>> gb.cpu.Stream().record_event()
        """

    def wait_event(self, event: Event) -> None:
        """Return at once: what it marks is done.

        Args:
            event: Ignored.

        >>> gb.cpu.Stream().wait_event(gb.cpu.Event())
        """

    def synchronize(self) -> None:
        """Return at once: no work is left.

        >>> gb.cpu.Stream().synchronize()
        """


class Event:
    """A place in a line of work of the CPU, which is always behind it.

    >>> gb.cpu.Event().query()
    True
    """

    def query(self) -> bool:
        """Return True: what came before is done.

        >>> gb.cpu.Event().query()
        True
        """
        return True

    def record(self, stream: Stream | None = None) -> None:
        """Do nothing.

        Args:
            stream: Ignored.

        >>> gb.cpu.Event().record()
        """

    def synchronize(self) -> None:
        """Return at once.

        >>> gb.cpu.Event().synchronize()
        """

    def wait(self, stream: Stream | None = None) -> None:
        """Return at once.

        Args:
            stream: Ignored.

        >>> gb.cpu.Event().wait()
        """


_standard = Stream()
# The blocks of this thread and asyncio task, the innermost last.
_open: ContextVar[tuple[StreamContext, ...]] = ContextVar("streams of the CPU", default=())


def current_stream(device: Device | None = None) -> Stream:
    """Return the stream of the innermost `stream` block, or the one that is always there.

    Args:
        device: Ignored: there is one.

    >>> side = gb.cpu.Stream()
    >>> with gb.cpu.stream(side):
    ...     gb.cpu.current_stream() is side
    True
    """
    chosen = (block.stream for block in reversed(_open.get()))
    return next((it for it in chosen if it is not None), _standard)


class StreamContext(_engine._StackBlock):
    """Make a stream the current one: a block.

    Args:
        stream: A stream of the CPU; None changes nothing.

    Raises:
        TypeError: It is neither.

    >>> with gb.cpu.StreamContext(None):
    ...     x = gb.ones(1)
    """

    _stack = _open
    _mask = 0

    def __init__(self, stream: Stream | None) -> None:
        if stream is not None:
            check.of_type(Stream, "StreamContext", "stream", stream)
        self.stream = stream


def stream(stream: Stream | None) -> StreamContext:
    """Return a block inside which a stream is the current one.

    Args:
        stream: A stream of the CPU; None changes nothing.

    Raises:
        TypeError: It is neither.

    >>> with gb.cpu.stream(None):
    ...     x = gb.ones(1)
    """
    return StreamContext(stream)


def set_device(device: Device) -> None:
    """Do nothing: the CPU is one device.

    Args:
        device: Ignored.

    >>> gb.cpu.set_device("cpu")
    """


def is_initialized() -> bool:
    """Return True: the CPU needs no start.

    >>> gb.cpu.is_initialized()
    True
    """
    return True

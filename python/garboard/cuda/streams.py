"""Streams of CUDA devices, and events on them.

Work of one stream runs in order, work of two at the same time. Kernels, copies and the memory for
them go to the stream that is current for the calling thread; every thread begins on the default
one, which waits for no other.
"""

from __future__ import annotations

import threading
from ctypes import c_void_p
from types import TracebackType

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard.cuda._devices import device_number

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "current_stream",
    "default_stream",
    "set_stream",
    "stream",
]


class Stream:
    """A line of work on a device, which runs beside those of other streams.

    It is an owned handle: with the last reference the stream goes back and is lent again, behind
    the work that it still has. `with stream:` makes it the current one, as `gb.cuda.stream` does.

    Args:
        device: A number, or a device as tensors take it; the current one by default.
        priority: The smaller goes first, 0 by default; beyond `priority_range`, the nearest.

    Raises:
        DeviceError: There is no such device, or it gives no more streams.
        TypeError: `priority` is no integer.

    >>> if gb.cuda.is_available():
    ...     side = gb.cuda.Stream()
    ...     with gb.cuda.stream(side):
    ...         x = gb.ones(3, device="cuda")
    ...     gb.cuda.current_stream().wait_stream(side)
    ...     x.record_stream(gb.cuda.current_stream())
    """

    __slots__ = ("__weakref__", "_held")

    def __init__(self, device: int | str | _engine.device | None = None, priority: int = 0) -> None:
        number = device_number("Stream", device)
        wanted = check.integer("Stream", "priority", priority)
        bounded = max(-(1 << 30), min(wanted, 1 << 30))  # the device clamps it further
        self._held = _engine._Stream(number, bounded)

    @staticmethod
    def _of(held: _engine._Stream) -> Stream:
        made = object.__new__(Stream)
        made._held = held
        return made

    @property
    def device(self) -> _engine.device:
        """The device that does the work."""
        return _engine.device(f"cuda:{self._held.number}")

    @property
    def device_index(self) -> int:
        """The number of the device."""
        return self._held.number

    @property
    def priority(self) -> int:
        """What the device made of the priority asked for."""
        return self._held.priority

    @property
    def cuda_stream(self) -> int:
        """The driver's handle, for other libraries; 0 is the default stream."""
        return self._held.handle

    @property
    def stream_id(self) -> int:
        """A number that tells it from other streams of its device: the driver's handle."""
        return self._held.handle

    @property
    def _as_parameter_(self) -> c_void_p:
        return c_void_p(self._held.handle)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Return the priorities of the current device, the least urgent and the most.

        Returns:
            Two integers; the smaller number is the more urgent.

        Raises:
            DeviceError: There is no CUDA device.

        >>> if gb.cuda.is_available():
        ...     least, greatest = gb.cuda.Stream.priority_range()
        ...     assert greatest <= least
        """
        return _engine._stream_priorities(device_number("priority_range", None))

    def query(self) -> bool:
        """Tell whether all work of the stream is done. Does not wait.

        Returns:
            A bool.

        Raises:
            DeviceError: Some of the work failed.

        >>> if gb.cuda.is_available():
        ...     stream = gb.cuda.Stream()
        ...     stream.synchronize()
        ...     assert stream.query()
        """
        return self._held.is_idle()

    def synchronize(self) -> None:
        """Wait until all work of the stream is done.

        Raises:
            DeviceError: Some of the work failed.
            IndexOutOfRangeError: A kernel has met a wrong index since the device was last asked.

        >>> if gb.cuda.is_available():
        ...     gb.cuda.Stream().synchronize()
        """
        self._held.synchronize()

    def wait_stream(self, stream: Stream) -> None:
        """Let work given from now on begin after all that `stream` was given until now.

        The program does not wait.

        Args:
            stream: Of this device or another.

        Raises:
            TypeError: It is no stream.

        >>> if gb.cuda.is_available():
        ...     gb.cuda.Stream().wait_stream(gb.cuda.current_stream())
        """
        self._held.wait_stream(_stream("wait_stream", stream)._held)

    def wait_event(self, event: Event) -> None:
        """Let work given from now on begin after an event, as `event.wait(self)` does.

        Args:
            event: One that was not recorded is not waited for.

        Raises:
            TypeError: It is no event.

        >>> if gb.cuda.is_available():
        ...     gb.cuda.Stream().wait_event(gb.cuda.current_stream().record_event())
        """
        _event("wait_event", event).wait(self)

    def record_event(self, event: Event | None = None) -> Event:
        """Put an event behind all that the stream was given until now.

        Args:
            event: By default a new one, without timing.

        Returns:
            The event.

        Raises:
            DeviceError: The event was recorded on another device.
            TypeError: It is no event.

        >>> if gb.cuda.is_available():
        ...     gb.cuda.current_stream().record_event().wait()
        """
        recorded = Event() if event is None else _event("record_event", event)
        recorded.record(self)
        return recorded

    def __enter__(self) -> Stream:
        entered = StreamContext(self)
        entered.__enter__()
        _contexts().append(entered)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _contexts().pop().__exit__(kind, error, traceback)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, int]:
        return self._held.number, self._held.handle

    def __repr__(self) -> str:
        return f"<garboard.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class Event:
    """A point in the work of a stream, to wait for and, with timing, to measure between.

    Args:
        enable_timing: Keep the time at which the device comes to it, for `elapsed_time`.
        blocking: Taken; other threads go on while one waits, either way.
        interprocess: False; events of other processes are not there.

    Raises:
        DeviceError: There is no CUDA device.
        ValueError: `interprocess` is True.
        TypeError: An argument is no bool.

    >>> if gb.cuda.is_available():
    ...     begin, end = (gb.cuda.Event(enable_timing=True) for _ in range(2))
    ...     begin.record()
    ...     x = gb.ones(1000, device="cuda").sum()
    ...     end.record()
    ...     end.synchronize()
    ...     assert begin.elapsed_time(end) >= 0
    """

    __slots__ = ("__weakref__", "_held", "_is_timed")

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self._is_timed = check.flag("Event", "enable_timing", enable_timing)
        check.flag("Event", "blocking", blocking)
        if check.flag("Event", "interprocess", interprocess):
            raise ValueError("Event: interprocess=True; events are of one process, so leave it out")
        _engine._require_cuda("Event", _engine._current_cuda_device())
        self._held = _engine._StreamEvent(self._is_timed)

    @property
    def device(self) -> _engine.device | None:
        """The device that it was recorded on; None until it is."""
        number = self._held.number
        return None if number is None else _engine.device(f"cuda:{number}")

    def record(self, stream: Stream | None = None) -> None:
        """Move it behind all that a stream was given until now.

        Args:
            stream: The current one by default.

        Raises:
            DeviceError: It was recorded on another device before.
            TypeError: `stream` is no stream.

        >>> if gb.cuda.is_available():
        ...     gb.cuda.Event().record()
        """
        self._held.record(_stream_or_current("record", stream)._held)

    def wait(self, stream: Stream | None = None) -> None:
        """Let what a stream is given from now on begin after it. The program does not wait.

        Args:
            stream: The current one by default; of the event's device or another.

        Raises:
            TypeError: `stream` is no stream.

        >>> if gb.cuda.is_available():
        ...     gb.cuda.Event().wait()
        """
        self._held.let_wait(_stream_or_current("wait", stream)._held)

    def query(self) -> bool:
        """Tell whether the device has come to it. Does not wait.

        Returns:
            A bool; True where it was not recorded.

        >>> if gb.cuda.is_available():
        ...     assert gb.cuda.Event().query()
        """
        return self._held.is_passed()

    def synchronize(self) -> None:
        """Wait until the device has come to it; not at all where it was not recorded.

        >>> if gb.cuda.is_available():
        ...     gb.cuda.current_stream().record_event().synchronize()
        """
        self._held.wait()

    def elapsed_time(self, end_event: Event) -> float:
        """Return the time from here to a later event, by the device's clock.

        Args:
            end_event: Recorded on the same device.

        Returns:
            Milliseconds.

        Raises:
            DeviceError: One of the two keeps no time, was not recorded, or has not been come to.
            TypeError: `end_event` is no event.

        >>> if gb.cuda.is_available():
        ...     event = gb.cuda.Event(enable_timing=True)
        ...     event.record()
        ...     event.synchronize()
        ...     assert event.elapsed_time(event) == 0
        """
        return self._held.elapsed_ms(_event("elapsed_time", end_event)._held)

    def __repr__(self) -> str:
        where = f"device={self.device}" if self._held.is_recorded else "not recorded"
        return f"<garboard.cuda.Event {where}>"


class StreamContext:
    """Make a stream, and its device, the current ones of this thread: a block.

    Args:
        stream: None changes nothing.

    Raises:
        TypeError: It is no stream.

    >>> with gb.cuda.StreamContext(None):
    ...     pass
    """

    def __init__(self, stream: Stream | None) -> None:
        self.stream: Stream | None = None if stream is None else _stream("stream", stream)
        self._before: list[tuple[int, _engine._Stream]] = []

    def __enter__(self) -> None:
        if self.stream is None:
            return
        number = _engine._current_cuda_device()
        self._before.append((number, self.stream._held.exchange_current()))
        _engine._set_current_cuda_device(self.stream.device_index)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.stream is None:
            return
        number, held = self._before.pop()
        held.exchange_current()
        _engine._set_current_cuda_device(number)


def stream(stream: Stream | None) -> StreamContext:
    """Make a stream, and its device, the current ones of this thread: a block.

    Args:
        stream: None changes nothing.

    Returns:
        What `with` takes.

    Raises:
        TypeError: It is no stream.

    >>> with gb.cuda.stream(None):
    ...     pass
    """
    return StreamContext(stream)


def current_stream(device: int | str | _engine.device | None = None) -> Stream:
    """Return the stream that this thread's work on a device goes to.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     assert gb.cuda.current_stream() == gb.cuda.default_stream()
    """
    return Stream._of(_engine._Stream.current(device_number("current_stream", device)))


def default_stream(device: int | str | _engine.device | None = None) -> Stream:
    """Return the stream that every thread begins on.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     assert gb.cuda.default_stream().cuda_stream == 0
    """
    return Stream._of(_engine._Stream.default(device_number("default_stream", device)))


def set_stream(stream: Stream) -> None:
    """Make a stream, and its device, the current ones of this thread from now on.

    Args:
        stream: None changes nothing, as in PyTorch.

    Raises:
        TypeError: It is no stream.

    >>> if gb.cuda.is_available():
    ...     gb.cuda.set_stream(gb.cuda.default_stream())
    """
    if stream is None:
        return
    given = _stream("set_stream", stream)
    given._held.exchange_current()
    _engine._set_current_cuda_device(given.device_index)


def _stream(op: str, given: object) -> Stream:
    if not isinstance(given, Stream):
        raise TypeError(f"{op}: stream {shown(given)}; a gb.cuda.Stream is needed")
    return given


def _stream_or_current(op: str, given: Stream | None) -> Stream:
    return current_stream() if given is None else _stream(op, given)


def _event(op: str, given: object) -> Event:
    if not isinstance(given, Event):
        raise TypeError(f"{op}: event {shown(given)}; a gb.cuda.Event is needed")
    return given


_entered = threading.local()


def _contexts() -> list[StreamContext]:
    """Return what this thread has entered by `with stream:`, the innermost last."""
    contexts: list[StreamContext] = _entered.__dict__.setdefault("contexts", [])
    return contexts

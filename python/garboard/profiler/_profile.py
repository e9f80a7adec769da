"""The context managers: a profile of a block, and a name for a part of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from enum import Enum
from itertools import count as counting
from types import TracebackType
from typing import Any, Self, TypeVar
from weakref import ref

from garboard import _engine
from garboard._arguments.check import count, flag, function, text, unless_left
from garboard._arguments.given import list_of
from garboard._contexts.decorating import decorated
from garboard._engine import GarboardError
from garboard.profiler._averages import EventAverages, averages_of
from garboard.profiler._event_list import EventList
from garboard.profiler._events import MemoryEvent, Recorded, recorded_from
from garboard.profiler._schedule import ProfilerAction

__all__ = [
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "supported_activities",
]

_F = TypeVar("_F", bound=Callable[..., Any])
_STACK_DEPTH = 32
_numbers = counting(1)  # of recordings, by which the engine knows whose it ends
_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class ProfilerActivity(Enum):
    """What PyTorch's profiler is told to watch. Here ops and the memory of all devices are."""

    CPU = "CPU"
    CUDA = "CUDA"
    XPU = "XPU"


def supported_activities() -> set[ProfilerActivity]:
    """Return what a profile watches on this machine.

    Returns:
        A set: the CPU, and CUDA where there is a device.

    >>> gb.profiler.ProfilerActivity.CPU in gb.profiler.supported_activities()
    True
    """
    has_cuda = _engine._cuda_device_count() > 0
    return {ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if has_cuda else [])}


def kineto_available() -> bool:
    """Return True: `profile` takes what PyTorch's newer profiler takes.

    >>> gb.profiler.kineto_available()
    True
    """
    return True


_open: list[ref[profile]] = []  # the one that records


def _profiler_enabled() -> bool:
    """Tell whether a profile records, by PyTorch's private name."""
    return any(it() is not None for it in list(_open))


def _disable_profiler() -> None:
    """End the profile that records, if there is one, by PyTorch's private name."""
    for it in list(_open):
        found = it()
        if found is not None:
            found.stop()


def _default_schedule_fn(step: int) -> ProfilerAction:
    """Record all, whatever the step."""
    return ProfilerAction.RECORD


class profile(_engine._EndingBlock):
    """Record every op of a block, on all threads: its time, and what it allocated and freed.

    One profile records at a time. What it has recorded is kept until it is gone; it holds no
    tensors.

    Args:
        activities: PyTorch's; CPU and CUDA are both watched in any case.
        record_shapes: Keep the sizes of the tensors that ops are given.
        profile_memory: Record what comes and goes, on each device.
        with_stack: Keep the Python stack of each op, 32 lines at the most.
        on_trace_ready: Called with the profile when the block has ended; with a `schedule`, after
            the last step of each cycle, too.
        schedule: What to do in a step, by its number from 0, as `gb.profiler.schedule` gives it;
            `step()` ends one. What a cycle recorded is forgotten when the next begins to record.
            Each step is an event, "ProfilerStep#" and the number. By default all is recorded.
        with_flops: Without effect: `gb.utils.flop_counter.FlopCounterMode` counts them.
        with_modules: Without effect: `with_stack` tells which module called an op.
        experimental_config: Ignored, as all that follow.
        execution_trace_observer: Ignored.
        acc_events: Ignored.
        use_cuda: Ignored.

    Attributes:
        step_num: The number of the step.

    Raises:
        TypeError: An argument is of no type that fits, or one of `activities` is not.
        GarboardError: Another profile records already, or this one has not recorded yet.

    >>> with gb.profiler.profile(profile_memory=True) as prof:
    ...     x = gb.ones(1000) + 1
    >>> [(it.name, it.self_cpu_allocated) for it in prof.events()]
    [('ones', 4000), ('add', 4000)]
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        on_trace_ready: Callable[[profile], object] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: object = None,
        execution_trace_observer: object = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
    ) -> None:
        if activities is not None:
            list_of(ProfilerActivity, "profile", "activities", activities, "ProfilerActivity")
        self._shapes = flag("profile", "record_shapes", record_shapes)
        self._memory = flag("profile", "profile_memory", profile_memory)
        self._stack = flag("profile", "with_stack", with_stack)
        flag("profile", "with_flops", with_flops)
        flag("profile", "with_modules", with_modules)
        if on_trace_ready is not None and not callable(on_trace_ready):
            raise TypeError(
                f"profile: on_trace_ready is of type {type(on_trace_ready).__name__}; a function "
                "of the profile is needed"
            )
        self._on_trace_ready = on_trace_ready
        self._schedule: Callable[[int], ProfilerAction] | None = None
        if schedule is not None:
            self.schedule = schedule
        self._action = ProfilerAction.NONE
        self._is_open = False
        self._step: record_function | None = None
        self.step_num: int = 0
        self._recording = 0  # its number, while it records
        self._live_before: dict[str, int] = {}
        self._recorded: Recorded | None = None
        self._metadata: dict[str, Any] = {}

    @property
    def schedule(self) -> Callable[[int], ProfilerAction]:
        """What says what to do in a step, by its number; it may be set before the next step.

        Raises:
            TypeError: Something else than a function is set.

        >>> gb.profiler.profile().schedule(0)
        <ProfilerAction.RECORD: 2>
        """
        return _default_schedule_fn if self._schedule is None else self._schedule

    @schedule.setter
    def schedule(self, given: Callable[[int], ProfilerAction]) -> None:
        function("profile", "schedule", given, "a function of the step's number")
        self._schedule = None if given is _default_schedule_fn else given

    def start(self) -> None:
        """Begin to record; what was recorded before is forgotten.

        Raises:
            GarboardError: A profile records already.

        >>> prof = gb.profiler.profile()
        >>> prof.start()
        >>> x = gb.ones(3)
        >>> prof.stop()
        >>> [event.name for event in prof.events()]
        ['ones']
        """
        if self._is_open:
            raise GarboardError("start: the profile has begun already; stop() ends it")
        action = self._planned(0)
        self.step_num, self._action, self._is_open = 0, action, True
        if action in _RECORDING:
            try:
                self._begin(0)
            except GarboardError:  # another one records
                self._recording, self._is_open = 0, False
                raise

    def stop(self) -> None:
        """End it; what still runs counts as far as it came. Idempotent.

        >>> prof = gb.profiler.profile()
        >>> prof.stop()
        """
        if not self._is_open:
            return
        was_recording = self._recording
        if was_recording:
            self._end()
        self._is_open = False
        if was_recording and self._on_trace_ready is not None:
            self._on_trace_ready(self)

    def step(self) -> None:
        """End a step of the program, and do in the next what the schedule says.

        Raises:
            GarboardError: The profile has not begun or has ended, or another one records.
            TypeError: The schedule returns something else than a ProfilerAction.

        >>> plan = gb.profiler.schedule(wait=1, warmup=0, active=1, repeat=1)
        >>> with gb.profiler.profile(schedule=plan) as prof:
        ...     for size in range(4):
        ...         x = gb.ones(size)
        ...         prof.step()
        >>> [event.name for event in prof.events()]
        ['ProfilerStep#1', 'ones']
        """
        if not self._is_open:
            raise GarboardError("step: the profile does not run; call it inside the block")
        number = self.step_num + 1
        action, ended = self._planned(number), self._action
        self.step_num, self._action = number, action
        is_cut = ended is ProfilerAction.RECORD_AND_SAVE or action not in _RECORDING
        if self._recording and is_cut:
            self._end()
            if ended is ProfilerAction.RECORD_AND_SAVE and self._on_trace_ready is not None:
                self._on_trace_ready(self)
        if self._recording:
            self._name_step(number)
        elif action in _RECORDING:
            self._begin(number)

    def _planned(self, step: int) -> ProfilerAction:
        if self._schedule is None:
            return ProfilerAction.RECORD
        action = self._schedule(step)
        if not isinstance(action, ProfilerAction):
            raise TypeError(
                f"profile: schedule returned one of type {type(action).__name__}; a "
                "ProfilerAction is needed"
            )
        return action

    def _begin(self, step: int) -> None:
        depth = _STACK_DEPTH if self._stack else 0
        self._recording = next(_numbers)  # first, for Ctrl-C may come between any two lines
        _engine._start_profile(self._recording, self._shapes, self._memory, depth)
        _open[:] = [ref(self)]
        self._live_before = dict(_engine._live_counts()[3])
        self._recorded = None
        self._name_step(step)

    def _name_step(self, number: int) -> None:
        self._end_step()
        if self._schedule is not None:
            self._step = record_function(f"ProfilerStep#{number}")
            self._step.__enter__()

    def _end_step(self) -> None:
        step, self._step = self._step, None
        if step is not None:
            step.__exit__(None, None, None)

    def _end(self) -> None:
        self._end_step()
        found = _engine._stop_profile(self._recording)
        _open.clear()
        self._recording = 0
        if found is not None:
            self._recorded = recorded_from(found, self._live_before)

    def _enter(self, entry: list[Any]) -> Self:
        is_mine = not self._is_open
        if is_mine:
            entry.append(self)
        self.start()
        return self

    def _leave(
        self,
        entry: list[Any] | None,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if unless_left("profile", entry):
            self.stop()

    def _result(self, asker: str) -> Recorded:
        if self._recorded is None:
            raise GarboardError(f"{asker}: nothing is recorded yet; the block must have ended")
        return self._recorded

    def events(self) -> EventList:
        """Return every event, in the order in which they began: a list with a `table()`.

        Raises:
            GarboardError: The block has not ended yet.

        >>> with gb.profiler.profile() as prof:
        ...     x = gb.ones(3) * 2
        >>> [event.name for event in prof.events()]
        ['ones', 'mul']
        """
        return EventList(self._result("events"), self._memory)

    def add_metadata(self, key: str, value: str) -> None:
        """Put a text into the traces that are exported afterwards, beside their events.

        Args:
            key: Its name.
            value: The text.

        Raises:
            TypeError: One of them is no str.

        >>> prof = gb.profiler.profile()
        >>> prof.add_metadata("batch", "16")
        """
        self._metadata[text("add_metadata", "key", key)] = text("add_metadata", "value", value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Put what a text of JSON says into the traces that are exported afterwards.

        Args:
            key: Its name.
            value: JSON, as `json.dumps` gives it.

        Raises:
            TypeError: One of them is no str.
            ValueError: `value` is no JSON.

        >>> prof = gb.profiler.profile()
        >>> prof.add_metadata_json("sizes", "[16, 3]")
        """
        op = "add_metadata_json"
        try:
            self._metadata[text(op, "key", key)] = json.loads(text(op, "value", value))
        except ValueError as error:
            raise ValueError(f"{op}: {error}; a text of JSON is needed") from None

    def memory_events(self) -> list[MemoryEvent]:
        """Return what came and went, in its order; none without `profile_memory`.

        Raises:
            GarboardError: The block has not ended yet.

        >>> with gb.profiler.profile(profile_memory=True) as prof:
        ...     x = gb.ones(1000)
        ...     del x
        >>> [event.bytes for event in prof.memory_events()]
        [4000, -4000]
        """
        return self._result("memory_events").memory

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0
    ) -> EventAverages:
        """Add the events up by name.

        Args:
            group_by_input_shape: Tell them apart by the sizes of what they were given.
            group_by_stack_n: And by so many of the innermost lines of their stacks.

        Returns:
            An EventAverages, which prints as a table.

        Raises:
            GarboardError: The block has not ended yet.
            TypeError: An argument of another type.
            ValueError: `group_by_stack_n` is below 0.

        >>> with gb.profiler.profile() as prof:
        ...     x = gb.ones(3) * 2 * 2
        >>> [(average.key, average.count) for average in prof.key_averages()]
        [('ones', 1), ('mul', 2)]
        """
        it = self._result("key_averages")
        by_shape = flag("key_averages", "group_by_input_shape", group_by_input_shape)
        lines = count("key_averages", "group_by_stack_n", group_by_stack_n)
        averages = averages_of(it.events, it.memory, by_shape, lines)
        return EventAverages(averages, it.time_ns, self._memory)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write what Perfetto and chrome://tracing open.

        With `profile_memory` it has a curve of the live bytes of each device.

        Args:
            path: Where to; zipped where it ends with .gz.

        Raises:
            GarboardError: The block has not ended yet.
            OSError: The file cannot be written.

        >>> import tempfile
        >>> with gb.profiler.profile() as prof:
        ...     x = gb.ones(3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     prof.export_chrome_trace(f"{folder}/trace.json")
        """
        from garboard.profiler._export import chrome_trace, write_json

        op = "export_chrome_trace"
        write_json(op, path, {**self._metadata, **chrome_trace(self._result(op))})

    def export_memory_speedscope(
        self, path: str | os.PathLike[str], device: str = "cpu", moments: int = 20
    ) -> None:
        """Write the live bytes by birth line, at the peak and over time, for speedscope.app.

        Args:
            path: Ends with .gz to be zipped.
            device: Whose bytes.
            moments: At how many moments, evenly spread over the time, besides the peak.

        Raises:
            GarboardError: The profile has not recorded memory.
            TypeError: `moments` is no integer.
            ValueError: `moments` is below 0.
            OSError: The file cannot be written.

        >>> import tempfile
        >>> with gb.profiler.profile(profile_memory=True) as prof:
        ...     x = gb.ones(1000)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     prof.export_memory_speedscope(f"{folder}/memory.json")
        """
        from garboard.profiler._export import memory_speedscope, write_json

        it = self._result("export_memory_speedscope")
        if not self._memory:
            raise GarboardError(
                "export_memory_speedscope: no memory was recorded; give profile_memory=True"
            )
        looks = count("export_memory_speedscope", "moments", moments)
        content = memory_speedscope(it, str(_engine.device(device)), looks)
        write_json("export_memory_speedscope", path, content)


class record_function(_engine._EndingBlock):
    """Name a part of a program: an event around what runs in a block or in a decorated function.

    Of a generator or a coroutine that is decorated, each part that runs at once is an event.

    Args:
        name: Of the event.

    Raises:
        TypeError: `name` is no string.

    >>> with gb.profiler.profile() as prof, gb.profiler.record_function("forward"):
    ...     x = gb.ones(3) * 2
    >>> [(it.name, it.parent and it.parent.name) for it in prof.events()]
    [('forward', None), ('ones', 'forward'), ('mul', 'forward')]
    """

    def __init__(self, name: str) -> None:
        self.name: str = text("record_function", "name", name)

    def _enter(self, entry: list[_engine._Label]) -> Self:
        entry.append(_engine._Label())
        entry[0].enter(self.name)
        return self

    def _leave(
        self,
        entry: list[_engine._Label] | None,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for label in unless_left("record_function", entry):
            label.leave()

    def __call__(self, function: _F) -> _F:
        named: _F = decorated(self, function)
        return named

"""Allocation logs in the CSV form of RMM, NVIDIA's memory manager: its tools replay ours.

`Thread,Time,Action,Pointer,Size,Stream`, a line an event.
"""

import os
import re
from datetime import datetime
from typing import NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import printable, shown
from garboard._history_errors import AllocationLogError
from garboard._whole_files import replace_file

__all__ = ["LoggedEvent", "read_allocation_log", "write_allocation_log"]

_HEADER = "Thread,Time,Action,Pointer,Size,Stream"
_ALLOC, _FREE, _FREE_REQUESTED, _OOM = 0, 1, 2, 8  # of HistoryAction
_LOGGED = {
    _ALLOC: "allocate",
    _FREE: "free",
    _FREE_REQUESTED: "free",  # RMM logs the request; when the memory is free it does not know
    _OOM: "allocate failure",
}
_ACTIONS = {"allocate": "allocate", "free": "free", "deallocate": "free"}
_ACTIONS["allocate failure"] = "allocate failure"
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)[.:](\d{6})", re.ASCII)
_NUMBER = re.compile(r"\d{1,20}|0[xX][0-9a-fA-F]{1,16}", re.ASCII)
_POINTER = re.compile(r"(?:0[xX])?[0-9a-fA-F]{1,16}|\(nil\)", re.ASCII)
_LONGEST_LINE = 200
_END = 1 << 64


class LoggedEvent(NamedTuple):
    """One line of an allocation log.

    Attributes:
        thread: The thread's number.
        time_us: Microseconds since midnight, local time.
        action: `allocate`, `allocate failure` or `free`.
        pointer: The address; 0 for a failure.
        size: Bytes, as requested.
        stream: 0 is the default stream.
    """

    thread: int
    time_us: int
    """Microseconds since midnight, local time."""
    action: str
    """`allocate`, `allocate failure` or `free`."""
    pointer: int
    """0 for a failure."""
    size: int
    """Bytes, as requested."""
    stream: int
    """0 is the default stream."""


def write_allocation_log(
    filename: str | os.PathLike[str], device: str | _engine.device = "cpu"
) -> int:
    """Write what a device has recorded as an allocation log.

    A file of that name is replaced once the new one is complete. Segments are not in the form;
    payloads inside storages are, at their own addresses.

    Args:
        filename: Where to.
        device: Whose history: see `record_history`.

    Returns:
        The number of events.

    Raises:
        OSError: The file cannot be written.
        DeviceError: There is no such device.

    >>> import tempfile
    >>> gb.memory.record_history("site")
    >>> x = gb.ones(1000)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gb.memory.write_allocation_log(f"{folder}/log.csv")
    1
    >>> gb.memory.record_history(None)
    """
    found = _engine._memory_snapshot(device)
    lines = [_HEADER]
    for action, address, size, time_us, _, _, thread, stream, _ in found[2] if found else ():
        if word := _LOGGED.get(action):
            time = (
                f"{datetime.fromtimestamp(time_us // 1_000_000):%H:%M:%S}.{time_us % 1_000_000:06}"
            )
            pointer = 0 if action == _OOM else address
            lines.append(f"{thread},{time},{word},{pointer:#x},{size},{stream:#x}")
    path = check.path("write_allocation_log", "filename", filename)
    replace_file(path, "\n".join([*lines, ""]))
    return len(lines) - 1


def read_allocation_log(filename: str | os.PathLike[str]) -> list[LoggedEvent]:
    """Read an allocation log, ours or RMM's.

    Args:
        filename: The file; it may be larger than memory only as its events are.

    Returns:
        A list of LoggedEvent, in the file's order.

    Raises:
        AllocationLogError: A line is not of the form; the message has its number.
        OSError: The file cannot be read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     print("Thread,Time,Action,Pointer,Size,Stream", file=file)
    ...     print("7,12:00:00.000001,allocate,0x1000,512,0", file=file, flush=True)
    ...     gb.memory.read_allocation_log(file.name)[0].size
    512
    """
    events = []
    path = check.path("read_allocation_log", "filename", filename)
    said = printable(str(path))
    with path.open("rb") as file:
        number = 0
        while line := file.readline(_LONGEST_LINE + 2):
            number += 1
            where = f"read_allocation_log: {said}, line {number}"
            if len(line.rstrip(b"\r\n")) > _LONGEST_LINE:
                raise AllocationLogError(
                    f"{where}: longer than {_LONGEST_LINE} bytes; {_HEADER} is needed"
                )
            text = line.decode("ascii", "replace").strip()
            if number == 1:
                if text != _HEADER:
                    raise AllocationLogError(f"{where}: {shown(text)}; {_HEADER} is needed")
            elif text:
                events.append(_event(text, where))
        if number == 0:
            raise AllocationLogError(f"read_allocation_log: {said} is empty; {_HEADER} is needed")
    return events


def _event(text: str, where: str) -> LoggedEvent:
    fields = [field.strip() for field in text.split(",")]
    if len(fields) != 6:
        raise AllocationLogError(f"{where}: {len(fields)} fields; six are needed: {_HEADER}")
    thread, time, action, pointer, size, stream = fields
    found = _TIME.fullmatch(time)
    if not found or int(found[1]) > 23 or int(found[2]) > 59 or int(found[3]) > 60:
        raise AllocationLogError(f"{where}: time {shown(time)}; HH:MM:SS.ffffff is needed")
    if action not in _ACTIONS:
        needed = "'allocate', 'allocate failure' or 'free'"
        raise AllocationLogError(f"{where}: action {shown(action)}; {needed} is needed")
    if not _POINTER.fullmatch(pointer):
        raise AllocationLogError(
            f"{where}: pointer {shown(pointer)}; a hexadecimal number is needed"
        )
    hours, minutes, seconds, us = map(int, found.groups())
    return LoggedEvent(
        _number(thread, "thread", where),
        ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + us,
        _ACTIONS[action],
        0 if pointer == "(nil)" else int(pointer, 16),
        _number(size, "size", where),
        _number(stream, "stream", where),
    )


def _number(text: str, name: str, where: str) -> int:
    value = int(text, 0 if "x" in text.lower() else 10) if _NUMBER.fullmatch(text) else _END
    if value >= _END:
        raise AllocationLogError(f"{where}: {name} {shown(text)}; a number below 2^64 is needed")
    return value

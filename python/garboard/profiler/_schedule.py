"""In which steps of a program a profile records, and where what it recorded goes."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from garboard._arguments import check

if TYPE_CHECKING:
    from garboard.profiler._profile import profile

__all__ = ["ProfilerAction", "schedule", "tensorboard_trace_handler"]


class ProfilerAction(Enum):
    """What a profile does in a step. Nothing here needs to warm up, so WARMUP is NONE."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3  # the last step of a cycle: what it recorded is ready after it


def schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Callable[[int], ProfilerAction]:
    """Return a plan of cycles: `wait` and `warmup` steps without a record, then `active` with one.

    Args:
        wait: Steps at the beginning of a cycle.
        warmup: Steps after them.
        active: Steps that are recorded, as one profile.
        repeat: How many cycles; 0 for cycles without end.
        skip_first: Steps before the first cycle.
        skip_first_wait: 1 lets the first cycle begin without its `wait`.

    Returns:
        A function of the step's number, from 0, for `profile(schedule=...)`.

    Raises:
        TypeError: An argument is no integer.
        ValueError: One is negative, or `active` 0.

    >>> plan = gb.profiler.schedule(wait=1, warmup=1, active=2)
    >>> [plan(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    op = "schedule"
    idle = check.count(op, "wait", wait)
    unrecorded = idle + check.count(op, "warmup", warmup)
    cycle = unrecorded + check.count(op, "active", active, 1)
    cycles = check.count(op, "repeat", repeat)
    first = check.count(op, "skip_first", skip_first)
    if check.count(op, "skip_first_wait", skip_first_wait):
        first -= idle

    def planned(step: int) -> ProfilerAction:
        at = check.count("schedule", "step", step)
        if at < skip_first or (cycles and (at - first) // cycle >= cycles):
            return ProfilerAction.NONE
        place = (at - first) % cycle
        if place < unrecorded:
            return ProfilerAction.NONE if place < idle else ProfilerAction.WARMUP
        is_last = place == cycle - 1
        return ProfilerAction.RECORD_AND_SAVE if is_last else ProfilerAction.RECORD

    return planned


def tensorboard_trace_handler(
    dir_name: str | os.PathLike[str], worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """Return an `on_trace_ready` that writes each profile into a file of its own.

    The names are those that TensorBoard's plugin looks for, `worker.time.pt.trace.json`, and the
    content is that of `profile.export_chrome_trace`.

    Args:
        dir_name: Where to; made when the first profile is ready.
        worker_name: By default the machine's name and the process's number.
        use_gzip: Zip the files.

    Returns:
        A function of a profile.

    Raises:
        TypeError: An argument of another type.
        ValueError: No folder can have that name, or `worker_name` has a slash.
        OSError: Of the function: the file cannot be written.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ready = gb.profiler.tensorboard_trace_handler(folder, "me")
    ...     with gb.profiler.profile(on_trace_ready=ready):
    ...         x = gb.ones(3)
    ...     print(os.listdir(folder))
    ['me....pt.trace.json']
    """
    op = "tensorboard_trace_handler"
    folder = check.path(op, "dir_name", dir_name)
    worker = None if worker_name is None else check.text(op, "worker_name", worker_name)
    if worker is not None and check.path(op, "worker_name", f"{worker}.").name != f"{worker}.":
        raise ValueError(f"{op}: worker_name has a slash; a name without a folder is needed")
    end = ".pt.trace.json.gz" if check.flag(op, "use_gzip", use_gzip) else ".pt.trace.json"

    def write(prof: profile) -> None:
        import socket
        import time

        folder.mkdir(parents=True, exist_ok=True)
        name = worker or f"{socket.gethostname()}_{os.getpid()}"
        prof.export_chrome_trace(folder / f"{name}.{time.time_ns()}{end}")

    return write

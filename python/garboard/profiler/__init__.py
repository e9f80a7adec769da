"""What ran, how long it took and what it allocated: PyTorch's profiler for this engine.

    with gb.profiler.profile(profile_memory=True) as prof:
        model(x).sum().backward()
    print(prof.key_averages().table(sort_by="self_cpu_memory_usage", row_limit=10))

Every op is an event, inside the op, the backward pass or the `record_function` around it. Times are
the calling thread's; work that a CUDA device does later is not in them. While nobody records, an op
pays one branch.
"""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.profiler._averages import EventAverage, EventAverages
from garboard.profiler._event_list import EventList
from garboard.profiler._events import MemoryEvent, OpEvent
from garboard.profiler._profile import (
    ProfilerActivity,
    kineto_available,
    profile,
    record_function,
    supported_activities,
)
from garboard.profiler._profile import (
    _default_schedule_fn as _default_schedule_fn,
)
from garboard.profiler._schedule import ProfilerAction, schedule, tensorboard_trace_handler

__all__ = [
    "EventAverage",
    "EventAverages",
    "EventList",
    "MemoryEvent",
    "OpEvent",
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

publish_paths(__name__)

"""Records what a program allocates and releases in PyTorch's CPU memory, exactly and in order.

The profiler notes every request of the CPU allocator with its size and address, and the sum of what
is allocated then; the sums prove that nothing is missing. What oneDNN takes for itself is not seen.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile


@dataclass
class Recording:
    """Allocations and releases in order: bytes, or minus the number of the allocation, from 1."""

    steps: list[int] = field(default_factory=list)

    @property
    def sizes(self) -> list[int]:
        """Bytes of each allocation, in order."""
        return [step for step in self.steps if step > 0]

    @property
    def peak_bytes(self) -> int:
        sizes = self.sizes
        changes = (step if step > 0 else -sizes[-step - 1] for step in self.steps)
        return max(accumulate(changes), default=0)

    def to_text(self) -> str:
        """A line a step: bytes, or how many allocations ago was made what is released, as -1."""
        lines, count = [], 0
        for step in self.steps:
            count += step > 0
            lines.append(step if step > 0 else -(count + step + 1))
        return "".join(f"{line}\n" for line in lines)


def allocation_events(trees: Iterable[Any]) -> list[Any]:
    """All events of memory below `trees`, by time."""
    found, waiting = [], list(trees)
    while waiting:
        event = waiting.pop()
        if event.tag == torch._C._profiler._EventType.Allocation:
            found.append(event)
        waiting += event.children
    return sorted(found, key=lambda event: event.start_time_ns)


def record(program: Callable[[], object]) -> Recording:
    """Run `program` on one thread; what it returns is released before the recording ends.

    Raises:
        RuntimeError: The profiler has lost an event, or put two in the wrong order.
    """
    os.environ["KINETO_LOG_LEVEL"] = "99"  # it complains that there is no GPU
    torch.set_num_threads(1)  # one order of events, the same in every run
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        program()
    recording, numbers, live_bytes = Recording(), {}, 0
    made = 0
    for event in allocation_events(profiler.profiler.kineto_results.experimental_event_tree()):
        fields = event.extra_fields
        live_bytes += fields.alloc_size
        if live_bytes != fields.total_allocated:
            raise RuntimeError(f"record: the profiler lost events before step {made}")
        if fields.alloc_size > 0:
            made += 1
            numbers[fields.ptr] = made
            recording.steps.append(fields.alloc_size)
        else:
            recording.steps.append(-numbers.pop(fields.ptr))
    return recording

"""Futures, queues and suspended coroutines keep their results.

    futures.append(pool.submit(infer, x))   # leaks: each keeps its result after .result()
    queue.Queue(maxsize=4)                  # the producer waits for the consumer

Evidence: a future, a queue without a bound, a generator or a coroutine is on the way.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import holds_generators, is_future, passes_loaded
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import expression

__all__ = ["KIND"]


def _fix(group: Group) -> str:
    if holds_generators(group):
        return f"run each generator in {expression(group.named) or 'it'} to its end, or close() it"
    if passes_loaded(group, ("asyncio", "TimerHandle")):
        return "keep the handle that call_later() gives, and cancel() it when it is done with"
    return KIND.fix


KIND = Kind(
    name="queue-future-async",
    family="QUEUE",
    text=__doc__ or "",
    rank=80,
    fits=is_future,
    fix="drop each future after .result(), or bound the queue with maxsize",
    fix_group=_fix,
)

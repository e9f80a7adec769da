"""Futures, queues and suspended coroutines keep their results.

    futures.append(pool.submit(infer, x))   # leaks: each keeps its result after .result()
    queue.Queue(maxsize=4)                  # the producer waits for the consumer

Evidence: a future, a queue without a bound, a generator or a coroutine is on the way.
"""

from __future__ import annotations

import queue
from types import AsyncGeneratorType, CoroutineType, GeneratorType

from garboard.leaks.evidence._classes import loaded_class
from garboard.leaks.findings._fixes import filled_bounded, filled_until_done
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import holds_generators, is_future, passes, passes_loaded
from garboard.leaks.holders._groups import Group, is_container
from garboard.leaks.holders._holders import expression
from garboard.leaks.holders._unasked import is_a

__all__ = ["KIND"]


def _fix(group: Group) -> str:
    if holds_generators(group):
        close = "aclose" if passes(group, AsyncGeneratorType) else "close"
        which = _suspended(group) or f"each generator in {expression(group.named) or 'it'}"
        return f"run {which} to its end, or {close}() it"
    if passes_loaded(group, ("asyncio", "TimerHandle")):
        return "keep the handle that call_later() gives, and cancel() it when it is done with"
    name, held = expression(group.named), group.named[-1].object
    if passes(group, CoroutineType):
        if one := _suspended(group):
            is_task = any(is_a(link.object, cls) for link in group.chain for cls in _futures())
            return f"await {one}, or {'cancel' if is_task else 'close'}() it"
        return f"await each coroutine in {name or 'it'}, or close() it"
    if is_container(group.holder) and group.named[-1].object is group.holder:
        item = group.chain[group.at + 1].object if group.at + 1 < len(group.chain) else None
        is_future = any(is_a(item, cls) for cls in _futures())
        if is_future and (statement := filled_until_done(group)):
            return statement
        if is_future and (statement := filled_bounded(group, "drop each after .result()")):
            return statement
    if name and is_a(held, queue.SimpleQueue):
        return f"make {name} a queue.Queue(maxsize=4), which lets the producer wait"
    if name and (is_a(held, queue.Queue) or passes_loaded(group, ("asyncio", "Queue"))):
        return f"bound {name} with maxsize=4, so that the producer waits for the consumer"
    if name and group.is_contained and any(is_a(held, cls) for cls in _futures()):
        return f"end {name}, or let what it calls when it is done keep no tensors"
    return KIND.fix


def _suspended(group: Group) -> str:
    """Return what the one task, coroutine or generator is called that a variable has; empty where a
    container has it."""
    if group.is_contained:
        return ""
    kinds = [AsyncGeneratorType, CoroutineType, GeneratorType, *_futures()]
    places = (i for i, it in enumerate(group.chain) if any(is_a(it.object, cls) for cls in kinds))
    return expression(group.chain[: next(places, 0) + 1])


def _futures() -> list[type]:
    known = (("concurrent.futures._base", "Future"), ("asyncio", "Future"))
    return [cls for cls in (loaded_class(*it) for it in known) if cls is not None]


KIND = Kind(
    name="queue-future-async",
    family="QUEUE",
    text=__doc__ or "",
    rank=80,
    fits=is_future,
    fix="drop each future after .result(), or bound the queue with maxsize",
    fix_group=_fix,
)

"""Which blocks of `autocast` are open here, and what arguments become in them.

Ops ask nobody while none is open: the engine calls `recast` from the first block on until the last
one is left, in whatever thread. A block counts in its own thread and asyncio task.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

from garboard import _engine
from garboard._arguments.layouts import is_really
from garboard._contexts.autocast_lists import WANTS
from garboard._contexts.blocks import block
from garboard._engine import Tensor, is_grad_enabled

__all__ = [
    "BLOCKS",
    "Block",
    "as_listed",
    "blocks_here",
    "clear_cache",
    "count_of_blocks",
    "enter",
    "entered_again",
    "in_float32",
    "innermost",
    "is_open",
    "leave",
    "left_alone",
    "lowered",
    "made",
    "recast",
]

#: How many blocks are open, in all threads and tasks.
count_of_blocks = _engine._autocast_count

_SINGLES = (_engine.float32, _engine.float16, _engine.bfloat16)


class Block(NamedTuple):
    """A block that has been entered."""

    owner: object  # who leaves it
    device_type: str
    dtype: Any
    is_enabled: bool
    caches: bool
    cache: dict[tuple[int, Any, bool], tuple[Tensor, int, Tensor]]  # of the outermost block


BLOCKS: ContextVar[tuple[Block, ...]] = ContextVar("autocast", default=())


def made(owner: object, device_type: str, dtype: Any, is_enabled: bool, caches: bool) -> Block:
    """Make what stands for a block that is opened here now."""
    outer = BLOCKS.get()
    cache = outer[0].cache if outer else {}
    return Block(owner, device_type, dtype, is_enabled, caches, cache)


def enter(owner: object, device_type: str, dtype: Any, is_enabled: bool, caches: bool) -> None:
    """Open a block that its owner leaves."""
    _engine._push_entry(BLOCKS, made(owner, device_type, dtype, is_enabled, caches))


def leave(owner: object) -> None:
    """Leave the innermost block of an owner, if one is open here."""
    _engine._pop_entry(BLOCKS, owner)


def innermost(device_type: str) -> Block | None:
    """The innermost block open here for devices of a type."""
    found: list[Block] = [it for it in BLOCKS.get() if it.device_type == device_type]
    return found[-1] if found else None


def clear_cache() -> None:
    """Forget what parameters were cast to."""
    for it in BLOCKS.get():
        it.cache.clear()


def _is_eligible(given: Any, device_type: str) -> bool:
    return (
        is_really(given, Tensor)
        and not given.is_disposed
        and given.dtype in _SINGLES
        and given.device.type == device_type
    )


def _cast(tensor: Tensor, dtype: Any, block: Block) -> Tensor:
    if tensor.dtype == dtype:
        return tensor
    is_kept = (
        block.caches
        and tensor.requires_grad
        and tensor.is_leaf
        and tensor.dtype == _engine.float32
        and dtype == block.dtype
    )
    if not is_kept:
        return tensor.to(dtype)
    key = id(tensor), dtype, is_grad_enabled()
    known = block.cache.get(key)
    if known is not None and known[1] == tensor._version and not known[2].is_disposed:
        return known[2]
    cast = tensor.to(dtype)
    block.cache[key] = tensor, tensor._version, cast
    return cast


def recast(wants: dict[str, str], *given: Any) -> tuple[Any, ...] | None:
    """What an op is given, in the dtype that it wants; None where that is as it is."""
    device_type = _device_type(given)
    block = innermost(device_type) if device_type else None
    if device_type is None or block is None or not block.is_enabled:
        return None
    want = wants.get(device_type)
    if want is None:
        return None
    dtype = block.dtype if want == "lower" else _engine.float32
    return tuple([_cast(it, dtype, block) if _is_eligible(it, device_type) else it for it in given])


def _device_type(given: tuple[Any, ...]) -> str | None:
    for it in given:
        if is_really(it, Tensor) and not it.is_disposed and it.is_floating_point():
            return it.device.type
    return None


def blocks_here() -> tuple[Block, ...]:
    """Those open in this thread and task, the outermost first."""
    return BLOCKS.get()


@block
def entered_again(blocks: tuple[Block, ...]) -> Iterator[None]:
    """Open blocks again that were open once."""
    before = BLOCKS.get()
    try:
        for it in blocks:
            enter(*it[:5])
        yield
    finally:
        _engine._put_back(_leave_down_to, len(before))


def is_open(device_type: str) -> bool:
    """Whether ops on devices of a type are recast here."""
    return (block := innermost(device_type)) is not None and block.is_enabled


@block
def left_alone(device_type: str) -> Iterator[None]:
    """Have the ops that a function is made of take what comes, as one op would."""
    owner = object()
    enter(owner, device_type, _engine.float32, False, False)
    try:
        yield
    finally:
        _engine._put_back(leave, owner)


def _leave_down_to(count: int) -> None:
    while len(here := BLOCKS.get()) > count:
        leave(here[-1].owner)


def lowered(*given: Any) -> tuple[Any, ...]:
    """What a function made of ops is given, as an op that wants fewer digits gets it."""
    return recast({"cpu": "lower", "cuda": "lower"}, *given) or given


def as_listed(name: str, *given: Any) -> tuple[Any, ...]:
    """What a function made of ops is given, as the lists want it under its name."""
    return recast(WANTS[name], *given) or given


def in_float32(*given: Any) -> tuple[Any, ...]:
    """What a function made of ops is given, as an op that wants float32 gets it."""
    return recast({"cpu": "float32", "cuda": "float32"}, *given) or given


_engine._set_autocast(WANTS, recast, BLOCKS)

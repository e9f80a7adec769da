"""What is switched in this thread and task, and in the process: seen, and put back."""

from __future__ import annotations

import threading
from typing import Any

import garboard as gb
from garboard import _engine
from garboard._contexts import autocasting
from garboard.autograd import forward_ad, graph
from garboard.nn.utils import parametrize
from garboard.utils import checkpoint

__all__ = ["are_switched", "modes_here", "switch_back"]


def modes_here() -> dict[str, Any]:
    """Return what blocks change, by name."""
    return {
        "grad mode": (_engine._grad_mode(), _engine._grad_mode_depth()),
        "autocast": len(autocasting.blocks_here()),
        "autocast in the process": _engine._autocast_count(),
        "saved_tensors_hooks": len(graph._open.get()),
        "disable_saved_tensors_hooks": len(graph._refusals.get()),
        "fuse": _engine._fuse_depth(),
        "scope": gb.current_dispose_scope(),
        "default dtype": gb.get_default_dtype(),
        "default device": gb.get_default_device(),
        "overriding blocks": _overriding_blocks(),
        "overriding": _engine._set_overriding(None),
        "profile": _engine._is_profiling(),
        "duals": len(forward_ad._levels),
        "jvp": forward_ad._calling.get() is None,
        "random numbers": gb.default_generator.get_offset(),
        "cuDNN": gb.backends.cudnn.enabled,
        "names that load() makes": len(gb.serialization.get_safe_globals()),
        "checkpoints": checkpoint._stops_early.get(),
        "parametrized": parametrize._computed.get() is None,
    }


def _overriding_blocks() -> int:
    found = []
    while (block := _engine._pop_override()) is not None:
        found.append(block)
    for block in reversed(found):
        _engine._push_override(block)
    return len(found)


def are_switched() -> bool:
    """Whether a mode of the process, or of this thread, is not as at the start."""
    return (
        _engine._autocast_count() > 0
        or _overriding_blocks() > 0
        or _engine._fuse_depth() > 0
        or gb.get_default_device() != gb.device("cpu")
        or gb.are_deterministic_algorithms_enabled()
        or len(threading.enumerate()) > 1
    )


def switch_back() -> None:
    """Put back what is not of a context, which ends with the story."""
    while _engine._pop_override() is not None:
        pass
    _engine._set_autocast(autocasting.WANTS, autocasting.recast, autocasting.BLOCKS)
    while _engine._fuse_depth():
        gb.fuse().__exit__(None, None, None)
    if _engine._is_profiling():
        _engine._stop_profile(0)
    forward_ad._levels.clear()
    _engine._set_overriding(True)
    gb.set_default_device(None)
    gb.set_deterministic_debug_mode(0)

"""The CPU as a device: what `gb.cuda` says of a GPU, for programs that name either.

The memory functions are those of `gb.memory`, whose default device the CPU is.
"""

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._names.missing import module_getattr
from garboard.cpu._streams import (
    Event,
    Stream,
    StreamContext,
    current_stream,
    is_initialized,
    set_device,
    stream,
)
from garboard.memory import (
    empty_cache,
    get_per_process_memory_fraction,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "amp",
    "current_device",
    "current_stream",
    "device_count",
    "empty_cache",
    "get_per_process_memory_fraction",
    "instruction_set",
    "instruction_sets",
    "is_available",
    "is_initialized",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device",
    "set_per_process_memory_fraction",
    "stream",
    "synchronize",
]

if TYPE_CHECKING:
    from garboard.cpu import amp as amp
else:
    __getattr__ = module_getattr(__name__, ("amp",))


def is_available() -> bool:
    """Return True: the CPU is always there.

    >>> gb.cpu.is_available()
    True
    """
    return True


def device_count() -> int:
    """Return 1: the cores are one device.

    >>> gb.cpu.device_count()
    1
    """
    return 1


def current_device() -> str:
    """Return "cpu", the name of the one device.

    >>> gb.cpu.current_device()
    'cpu'
    """
    return "cpu"


def synchronize() -> None:
    """Return at once: an operation on the CPU is done when its call returns.

    >>> gb.cpu.synchronize()
    """


def instruction_set() -> str:
    """Return which of the kernels run: "baseline", "v3" or "v4".

    The best that the machine has, or the one that the environment's GARBOARD_ISA names.

    >>> gb.cpu.instruction_set() in ("baseline", "v3", "v4")
    True
    """
    return _engine._instruction_set()


def instruction_sets() -> list[str]:
    """Return the kernels that the environment's GARBOARD_ISA may name, the best first.

    They are what was built, in a wheel "v4", "v3" and "baseline", as far as this machine can run
    it. What `./run demo` builds has only the best one for the machine.

    >>> gb.cpu.instruction_set() in gb.cpu.instruction_sets()
    True
    """
    return _engine._instruction_sets()

"""Recording: what has happened to the memory of each device, the latest events of it.

The engine writes them into a bounded ring, 48 bytes each; here they are switched on and off.
"""

from typing import Literal

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._history_errors import HistoryError

__all__ = ["MOST_ENTRIES", "history_level", "record_history"]

MOST_ENTRIES = 4_000_000
"""More are never kept: 192 MB, and no viewer opens what they come to."""

Level = Literal["off", "site", "stack"]
_LEVELS: tuple[Level, ...] = ("off", "site", "stack")


def record_history(
    enabled: Literal["off", "site", "stack", "state", "all"] | bool | None = "all",
    context: Literal["state", "alloc", "all"] | None = "alloc",
    stacks: Literal["python", "all"] = "python",
    max_entries: int = 100_000,
    device: str | _engine.device | None = None,
    clear_history: bool = False,
) -> None:
    """Record from now on what happens to memory; forget what was recorded before.

    The arguments are PyTorch's, whose name of this function is `_record_memory_history`. At "site"
    each event knows the line of the user's program, at "stack" up to 64 calls. Recorded code stays
    alive until the history is forgotten: by the next call of this function for all devices.

    Args:
        enabled: None or "off" stops, "site" and "stack" are levels. PyTorch's "all" and True are
            "stack", its "state" is "stack" without events: live blocks alone know their calls.
        context: None makes of PyTorch's names the level "site". The calls of a free are those of
            its allocation.
        stacks: PyTorch's. Calls of C++ are never recorded.
        max_entries: How many events are kept, the latest; 48 bytes each, at most `MOST_ENTRIES`.
        device: All devices by default, those that are opened later too.
        clear_history: PyTorch's. A history always begins empty.

    Raises:
        HistoryError: An argument has a value that does not exist.

    >>> gb.memory.record_history("site")
    >>> x = gb.ones(1000)
    >>> [event["action"] for event in gb.memory.snapshot("cpu")["device_traces"][0]][-2:]
    ['alloc', 'snapshot']
    >>> gb.memory.record_history(None)
    """
    level = _level_of(enabled, context)
    if not _is_one_of(stacks, "python", "all"):
        raise HistoryError(f"record_history: stacks {shown(stacks)}; 'python' or 'all' is needed")
    asked = check.integer("record_history", "max_entries", max_entries)
    if asked < 0:
        raise HistoryError(f"record_history: max_entries {shown(asked)}; it must not be negative")
    most = 0 if enabled == "state" else min(asked, MOST_ENTRIES)
    _engine._record_history(_LEVELS.index(level), most, device)
    if device is None or not any(history_level(each) == "stack" for each in _devices()):
        _engine._forget_call_stacks()


def history_level(device: str | _engine.device = "cpu") -> Level:
    """Return the level at which `device` records: "off", "site" or "stack".

    Raises:
        DeviceError: There is no such device.

    >>> gb.memory.history_level()
    'off'
    """
    return _LEVELS[_engine._history_level(device)]


def _is_one_of(given: object, *words: str) -> bool:
    return isinstance(given, str) and given in words


def _level_of(enabled: object, context: object) -> Level:
    if context is not None and not _is_one_of(context, "state", "alloc", "all"):
        raise HistoryError(
            f"record_history: context {shown(context)}; None, 'state', 'alloc' or 'all' is needed"
        )
    if enabled is None or enabled is False:
        return "off"
    for level in _LEVELS:
        if _is_one_of(enabled, level):
            return level
    if enabled is True or _is_one_of(enabled, "state", "all"):
        return "site" if context is None else "stack"
    raise HistoryError(
        f"record_history: enabled {shown(enabled)}; None, 'off', 'site', 'stack', 'state' or "
        "'all' is needed"
    )


def _devices() -> list[str]:
    return ["cpu", *(f"cuda:{number}" for number in range(8))]

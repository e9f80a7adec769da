"""Where older programs of PyTorch's look for its profiler."""

from __future__ import annotations

from typing import Any, NoReturn

from garboard import profiler
from garboard._arguments import check
from garboard.profiler import EventAverages as EventList
from garboard.profiler import ProfilerAction, record_function
from garboard.profiler._profile import _disable_profiler as _disable_profiler
from garboard.profiler._profile import _profiler_enabled as _profiler_enabled

__all__ = ["EventList", "emit_itt", "emit_nvtx", "profile", "record_function"]


class profile(profiler.profile):
    """`gb.profiler.profile` with the arguments of PyTorch's older one; it prints as its table.

    Args:
        enabled: Whether anything is recorded.
        use_cpu: Ignored, as are the two that follow: the CPU and CUDA are both watched.
        use_device: Ignored.
        use_cuda: Ignored.
        use_kineto: Ignored.
        custom_trace_id_callback: Ignored, as what follows.
        post_processing_timeout_s: Ignored.
        **named: What `gb.profiler.profile` takes.

    Raises:
        TypeError: As from `gb.profiler.profile`.
        GarboardError: Likewise.

    >>> with gb.autograd.profiler.profile(use_device=None) as prof:
    ...     x = gb.ones(3)
    >>> [row.key for row in prof.key_averages()]
    ['ones']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cpu: bool = True,
        use_device: str | None = None,
        use_cuda: bool = False,
        use_kineto: bool = False,
        custom_trace_id_callback: object = None,
        post_processing_timeout_s: float | None = None,
        **named: Any,
    ) -> None:
        if not check.flag("profile", "enabled", enabled):
            named["schedule"] = _nothing
        super().__init__(**named)

    def __str__(self) -> str:
        return super().__str__() if self._recorded is None else self.key_averages().table()

    @property
    def function_events(self) -> profiler.EventList | None:
        """What `events()` gives, or None where nothing has been recorded."""
        return None if self._recorded is None else self.events()

    @property
    def self_cpu_time_total(self) -> float:
        """The microseconds of all events, each without what ran in it."""
        return self.events().self_cpu_time_total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_name_column_width: int = 55,
        header: str | None = None,
    ) -> str:
        """Write what was recorded as a table, as `key_averages().table` does.

        Args:
            sort_by: As there.
            row_limit: As there.
            max_name_column_width: As there.
            header: As there.

        Returns:
            A text.

        Raises:
            GarboardError: Nothing has been recorded.
            ValueError: `sort_by` names no column.

        >>> with gb.autograd.profiler.profile() as prof:
        ...     x = gb.ones(3)
        >>> "ones" in prof.table()
        True
        """
        return self.key_averages().table(sort_by, row_limit, max_name_column_width, header)


def _nothing(_: int) -> ProfilerAction:
    return ProfilerAction.NONE


class emit_nvtx:
    """A block whose ops PyTorch marks for NVIDIA's profilers; none is marked here.

    Programs name it among the kinds of profilers. `gb.profiler.profile` says what ops take, and
    `gb.cuda.nvtx.range` marks what it is put around.

    Raises:
        NotImplementedError: One is asked for.

    Args:
        *given: Ignored.
        **named: Ignored.

    >>> isinstance(gb.profiler.profile(), gb.autograd.profiler.emit_nvtx)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise NotImplementedError(
            f"{cls.__name__}: ops are not marked for other profilers; use gb.profiler.profile()"
        )


class emit_itt(emit_nvtx):
    """The same for Intel's profiler.

    >>> try:
    ...     gb.autograd.profiler.emit_itt()
    ... except NotImplementedError as error:
    ...     print(str(error).partition(":")[0])
    emit_itt
    """

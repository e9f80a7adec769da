"""Where older programs of PyTorch's look for its profiler."""

from __future__ import annotations

from typing import NoReturn

from garboard.profiler import EventAverages as EventList
from garboard.profiler import profile, record_function
from garboard.profiler._profile import _disable_profiler as _disable_profiler
from garboard.profiler._profile import _profiler_enabled as _profiler_enabled

__all__ = ["EventList", "emit_itt", "emit_nvtx", "profile", "record_function"]


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

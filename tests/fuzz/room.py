"""The process a program runs in: what is put back after each, and what was left behind."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import garboard as gb
from garboard import _engine
from garboard.autograd import forward_ad

from tests.fuzz.judge import fault_of
from tests.fuzz.stories.modes import are_switched, switch_back
from tests.fuzz.target import Step
from tests.fuzz.targets import functions

__all__ = ["LIMIT_BYTES", "Room", "alarm"]

LIMIT_BYTES = 256 << 20
_THREADS = 2 if "libtsan" in os.environ.get("LD_PRELOAD", "") else 1  # what it looks for
_NOWHERE = Step("unraisable", int, ())


class Room:
    """Holds a simulated device, catches what cannot be raised, and counts what lives."""

    def __init__(self) -> None:
        self.unraised: list[str] = []  # faults: an error would hold its frames, and they tensors
        self.sim = gb.memory.SimulatedDevice("1 GiB")
        sys.unraisablehook = threading.excepthook = self._judge_unraised
        warnings.simplefilter("ignore")
        self.restore()
        functions()
        gc.collect()
        gc.freeze()
        self._before = self._counts()

    def _judge_unraised(self, args: Any) -> None:
        """Judge what a finalizer or a thread could not raise."""
        if args.exc_value is not None and (fault := fault_of(args.exc_value, _NOWHERE)):
            self.unraised.append(f"in a finalizer: {fault}")

    def take_unraised(self) -> list[str]:
        """Return the faults that nobody could raise since this was last called."""
        taken, self.unraised = self.unraised, []
        return taken

    def is_disturbed(self) -> bool:
        """Whether a scope or a level is open, a mode or the default dtype changed, or the device
        closed."""
        return (
            gb.current_dispose_scope() is not None
            or not gb.is_grad_enabled()
            or gb.get_default_dtype() != gb.float32
            or _engine._is_profiling()
            or bool(forward_ad._levels)
            or not _is_open(self.sim)
            or are_switched()
        )

    def restore(self) -> None:
        """Put back all that a program can set."""
        while (scope := gb.current_dispose_scope()) is not None:
            scope.dispose()
        for thread in threading.enumerate():
            if thread is not threading.current_thread():
                with contextlib.suppress(RuntimeError):  # one that was never started, for Ctrl-C
                    thread.join(10)
        switch_back()
        _engine._set_grad_enabled(True)
        gb.set_default_dtype(gb.float32)
        if _engine._is_profiling():
            _engine._stop_profile(0)
        forward_ad._levels.clear()
        if not _is_open(self.sim):
            self.sim = gb.memory.SimulatedDevice("1 GiB")
        gb.memory.set_memory_limit(LIMIT_BYTES)
        gb.memory.set_memory_limit(None, self.sim)
        if gb.memory.history_level() != "off":
            gb.memory._record_memory_history(None)
        gb.set_num_threads(_THREADS)
        gb.set_printoptions(4, 1000, 3, 80)
        gb.manual_seed(0)
        if not gc.isenabled():
            gc.enable()
        warnings.simplefilter("ignore")
        for name in os.listdir("."):  # of the temporary folder
            with contextlib.suppress(OSError):
                os.unlink(name)

    @staticmethod
    def _counts() -> tuple[int, int, int, int]:
        aliases, storages, nodes, by_device, _ = _engine._live_counts()
        return aliases, storages, nodes, sum(by_device.values())

    def left_behind(self) -> str | None:
        """Say what lives that did not before the last call of this; collects where it must."""
        if self._counts() == self._before:
            return None
        for _ in range(4):  # what a graph held of Python's, and that of others, goes by turns
            gc.collect()
            if self._counts() == self._before:
                break
        gc.freeze()  # what is left is here to stay, and need not be walked again
        now = self._counts()
        if now == self._before:
            return None
        names = ("aliases", "storages", "nodes", "bytes")
        parts = [
            f"{new - old} {name}"
            for new, old, name in zip(now, self._before, names, strict=True)
            if new != old
        ]
        self._before = now
        return "left behind: " + ", ".join(parts)

    def disagreement(self) -> str | None:
        """Say where the allocator's bytes and the registry's differ."""
        for device in ("cpu", self.sim):
            allocated = _engine._memory_stats(device)["live_bytes"]
            registered = gb.memory.live(device).bytes
            if allocated != registered:
                return f"the books of {device} differ: {allocated - registered} bytes"
        return None


def _is_open(sim: Any) -> bool:
    """Whether a program has neither closed the device nor taken it to pieces."""
    return "_end" in vars(sim) and bool(sim._end.alive)


@contextlib.contextmanager
def alarm(clock: Any, seconds: float) -> Iterator[None]:
    """Raise KeyboardInterrupt in a program that `clock.number` says is on for `seconds`.

    Seconds of the processor's: on a machine that others use, too, the same programs are stopped.
    """
    seen: list[Any] = [None]

    def ring(number: int, frame: object) -> None:
        if seen[0] is not None and seen[0] == clock.number:
            raise KeyboardInterrupt
        seen[0] = clock.number

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)

"""Starting a function in several processes, and what is told where one of them fails."""

from __future__ import annotations

import multiprocessing
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from garboard._arguments import check

__all__ = ["ProcessExitedException", "ProcessRaisedException", "Processes", "spawn"]


class ProcessExitedException(Exception):  # noqa: N818
    """A process has ended with an exit code other than 0.

    Args:
        message: What is told.
        error_index: The number of the process.
        exit_code: Its exit code.
    """

    def __init__(self, message: str, error_index: int, exit_code: int | None) -> None:
        super().__init__(message)
        self.error_index: int = error_index
        self.exit_code: int | None = exit_code


class ProcessRaisedException(Exception):  # noqa: N818
    """A function has raised in a process; the message holds its traceback.

    Args:
        message: What is told.
        error_index: The number of the process.
    """

    def __init__(self, message: str, error_index: int) -> None:
        super().__init__(message)
        self.error_index: int = error_index


class Processes:
    """Processes that run one function; `spawn` with `join=False` returns them."""

    def __init__(self, processes: list[BaseProcess], told: list[Connection]) -> None:
        self.processes: list[BaseProcess] = processes
        self._told = told
        self._ended: set[int] = set()

    def pids(self) -> list[int | None]:
        return [it.pid for it in self.processes]

    def join(self, timeout: float | None = None) -> bool:
        """Wait until a process ends, and end the others where it has failed.

        Returns:
            True once all have ended well; False where some run still.
        """
        numbers = (it for it in range(len(self.processes)) if it not in self._ended)
        left = {self.processes[number].sentinel: number for number in numbers}
        for sentinel in wait([*left], timeout) if left else ():
            number = left[sentinel]  # type: ignore[index]
            self.processes[number].join()
            self._ended.add(number)
            if code := self.processes[number].exitcode:
                self._fail(number, code)
        return len(self._ended) == len(self.processes)

    def _fail(self, number: int, code: int) -> None:
        for process in self.processes:
            if process.is_alive():
                process.terminate()
            process.join()
        with suppress(EOFError):  # it has ended without a word
            text = f"spawn: process {number} raised:\n\n{self._told[number].recv()}"
            raise ProcessRaisedException(text, number)
        text = f"spawn: process {number} ended with exit code {code}"
        raise ProcessExitedException(text, number, code)


def _run(
    fn: Callable[..., object], number: int, args: tuple[object, ...], tell: Connection
) -> None:
    try:
        fn(number, *args)
    except KeyboardInterrupt:
        pass  # the one that started it is interrupted, too
    except Exception:
        tell.send(traceback.format_exc())
        sys.exit(1)


def spawn(
    fn: Callable[..., object],
    args: tuple[object, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> Processes | None:
    """Call a function in several processes, each with its number before the arguments.

    Tensors among the arguments are copied.

    Args:
        fn: A function that can be pickled, such as one at the top of a module.
        args: What follows the number.
        nprocs: How many processes.
        join: Wait for all of them.
        daemon: End them with this process.
        start_method: "spawn", "fork" or "forkserver".

    Returns:
        None; with `join=False` the processes, which have `join(timeout=None)` and `pids()`.

    Raises:
        ProcessRaisedException: The function has raised; the other processes are ended.
        ProcessExitedException: A process has ended otherwise; likewise.
        TypeError: An argument is of another type.
        ValueError: `nprocs` is below 1, or there is no such method.

    >>> gb.multiprocessing.spawn(print, ("of a number",), nprocs=0)
    Traceback (most recent call last):
    ValueError: spawn: nprocs 0; 1 or more is needed
    """
    check.function("spawn", "fn", fn)
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context(
        check.choice("spawn", "start_method", start_method, *methods)
    )
    given = check.of_type(tuple, "spawn", "args", args)
    started: list[BaseProcess] = []
    told: list[Connection] = []
    for number in range(check.count("spawn", "nprocs", nprocs, 1)):
        hear, tell = context.Pipe(duplex=False)
        process = context.Process(  # type: ignore[attr-defined]
            target=_run, args=(fn, number, given, tell), daemon=daemon
        )
        process.start()
        tell.close()
        started.append(process)
        told.append(hear)
    processes = Processes(started, told)
    if not join:
        return processes
    while not processes.join():
        pass
    return None

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

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "spawn",
    "start_processes",
]


class ProcessException(Exception):  # noqa: N818
    """A process has failed: what programs catch that start several.

    Args:
        msg: What is told.
        error_index: The number of the process.
        error_pid: Its id, or 0.
    """

    def __init__(self, msg: str, error_index: int, error_pid: int = 0) -> None:
        super().__init__(msg)
        self.msg: str = msg
        self.error_index: int = error_index
        self.error_pid: int = error_pid


class ProcessRaisedException(ProcessException):
    """A function has raised in a process; the message holds its traceback."""


class ProcessExitedException(ProcessException):
    """A process has ended with an exit code other than 0.

    Args:
        msg: What is told.
        error_index: The number of the process.
        error_pid: Its id, or 0.
        exit_code: Its exit code.
    """

    def __init__(
        self, msg: str, error_index: int, error_pid: int = 0, exit_code: int | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code: int | None = exit_code


class ProcessContext:
    """Processes that run one function, as `spawn(..., join=False)` returns them.

    Attributes:
        processes: Python's processes, by their numbers.

    Args:
        processes: Likewise.
        told: Where each says what it has raised.
    """

    def __init__(self, processes: list[BaseProcess], told: list[Connection]) -> None:
        self.processes: list[BaseProcess] = processes
        self._told = told
        self._ended: set[int] = set()

    def pids(self) -> list[int | None]:
        """Return the ids of the processes.

        >>> processes = gb.multiprocessing.spawn(abs, join=False)
        >>> len(processes.pids() if processes else ())
        1
        """
        return [it.pid for it in self.processes]

    def join(self, timeout: float | None = None) -> bool:
        """Wait until a process ends, and end the others where it has failed.

        Args:
            timeout: How many seconds at most; None for as long as it takes.

        Returns:
            True once all have ended well; False where some run still.

        Raises:
            ProcessRaisedException: The function has raised in it.
            ProcessExitedException: It has ended otherwise.

        >>> processes = gb.multiprocessing.spawn(abs, join=False)
        >>> processes is not None and processes.join(timeout=60)
        True
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
        pid = self.processes[number].pid or 0
        with suppress(EOFError):  # it has ended without a word
            text = f"spawn: process {number} raised:\n\n{self._told[number].recv()}"
            raise ProcessRaisedException(text, number, pid)
        text = f"spawn: process {number} ended with exit code {code}"
        raise ProcessExitedException(text, number, pid, code)


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
) -> ProcessContext | None:
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

    >>> try:
    ...     gb.multiprocessing.spawn(print, ("of a number",), nprocs=0)
    ... except ValueError as error:
    ...     print(error)
    spawn: nprocs 0; 1 or more is needed
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
    processes = ProcessContext(started, told)
    if not join:
        return processes
    while not processes.join():
        pass
    return None


start_processes = spawn  # as it is called within PyTorch

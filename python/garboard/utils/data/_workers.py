"""A loop over batches that workers read ahead of it, handed out in order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard.utils.data._reading import END, Reader
from garboard.utils.data._threads import ThreadPool

if TYPE_CHECKING:
    from garboard.utils.data._loader import DataLoader

__all__ = ["Failure", "WorkerLoop", "context_of", "new_pool"]

_NO_MORE = object()
_MOST_AHEAD = 1 << 14  # tasks under way: a stream has no end that could be seen from here


class _Pool(Protocol):
    def send(self, worker: int, epoch: int, number: int, task: Any) -> None: ...
    def receive(self, timeout: float | None) -> tuple[int, Any, BaseException | None]: ...
    def hand_over(self, result: Any) -> Any: ...
    def cancel(self, epoch: int) -> None: ...
    def close(self, is_stuck: bool = False) -> None: ...


def context_of(given: Any, worker_count: int) -> Any:
    """What starts workers: a context, or None for threads."""
    if given is None:
        return None
    import multiprocessing

    if not worker_count:
        raise ValueError(
            "DataLoader: multiprocessing_context without workers; num_workers is needed"
        )
    if isinstance(given, str):
        ways = sorted(multiprocessing.get_all_start_methods())
        return multiprocessing.get_context(
            check.choice("DataLoader", "multiprocessing_context", given, *ways)
        )
    if not hasattr(given, "Process"):
        raise TypeError(
            f"DataLoader: multiprocessing_context is of type {type(given).__name__}; the name of a "
            "start method, or a context, is needed"
        )
    return given


def new_pool(loader: DataLoader[Any], reader: Reader, seed: int) -> _Pool:
    """Start the workers of a loader, each of which draws from `seed` and its own number."""
    given = context_of(loader.multiprocessing_context, loader.num_workers)
    if given is None:
        return ThreadPool(loader.num_workers, loader.dataset, reader, loader.worker_init_fn, seed)
    from garboard.utils.data._processes import ProcessPool

    return ProcessPool(
        loader.num_workers,
        loader.dataset,
        reader,
        loader.worker_init_fn,
        given,
        seed,
    )


class Failure:
    """What a loop has instead of a batch that a worker could not make: its error, to be raised."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def raise_error(self) -> NoReturn:
        """Raise it, once."""
        error = self._error
        del self._error  # else the traceback would hold it, and it the traceback
        try:
            raise error
        finally:
            del error


class WorkerLoop:
    """One loop: tasks go to the workers in turn, and batches come back in the order of the tasks.

    A worker whose stream has ended is left out; what it was asked for besides is skipped.
    """

    def __init__(
        self, pool: _Pool, count: int, epoch: int, tasks: Iterator[Any], timeout: float | None
    ) -> None:
        self._pool, self._epoch, self._tasks, self._timeout = pool, epoch, tasks, timeout
        self._workers = list(range(count))
        self._turn = 0
        self._owners: dict[int, int] = {}  # of tasks that are under way
        self._ready: dict[int, tuple[Any, BaseException | None]] = {}
        self._sent = self._taken = 0
        self._process = os.getpid()
        self.is_broken = self._is_stuck = False

    def fill(self, count: int) -> None:
        """Let the workers begin with the first tasks, of which there may be fewer."""
        for _ in range(min(count, _MOST_AHEAD)):
            if not self._send():
                return

    def _send(self) -> bool:
        if not self._workers:
            return False
        task = next(self._tasks, _NO_MORE)
        if task is _NO_MORE:
            return False
        self._turn %= len(self._workers)
        worker = self._workers[self._turn]
        self._turn += 1
        self._pool.send(worker, self._epoch, self._sent, task)
        self._owners[self._sent] = worker
        self._sent += 1
        return True

    def has_next(self) -> bool:
        """Wait for the next batch, and tell whether there is one."""
        while self._taken < self._sent:
            if self._taken not in self._ready:
                self._receive()
            elif self._ready[self._taken][0] is not END:
                return True
            else:
                del self._ready[self._taken]
                self._leave_out(self._owners.pop(self._taken))
                self._taken += 1
                self._send()
        return False

    def _leave_out(self, worker: int) -> None:
        if worker in self._workers:
            place = self._workers.index(worker)
            self._workers.remove(worker)
            if place < self._turn:
                self._turn -= 1

    def _receive(self) -> None:
        try:
            number, result, error = self._pool.receive(self._timeout)
        except TimeoutError:
            self._is_stuck = True
            raise RuntimeError(
                f"DataLoader: no batch in {shown(float(self._timeout or 0))} s, the timeout; a "
                "longer one, or a dataset that is faster, is needed"
            ) from None
        self._ready[number] = result, error

    def next(self) -> Any:
        """Return the batch that `has_next` has waited for, and let another be read.

        Of one that could not be made it is a `Failure`: batches behind it come still.
        """
        result, error = self._ready.pop(self._taken)
        del self._owners[self._taken]
        self._taken += 1
        if error is not None and not isinstance(error, Exception):
            raise error  # a worker was told to end
        self._send()
        return self._pool.hand_over(result) if error is None else Failure(error)

    def end(self) -> bool:
        """Drop what is under way; tell whether the workers can be used again."""
        self._pool.cancel(self._epoch)
        try:
            while not self.is_broken and len(self._ready) < self._sent - self._taken:
                self._receive()
        except Exception:
            self.is_broken = True
        self._ready.clear()
        return not self.is_broken

    def close(self) -> None:
        """Drop what is under way, and end the workers."""
        if self._process != os.getpid():
            return  # a copy of the loop in a process that was forked
        self._pool.cancel(self._epoch)
        self._pool.close(self._is_stuck)
        self._ready.clear()

"""Workers that are threads: batches are read while the loop computes, in memory they share."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from types import MethodType
from typing import Any

from garboard import _engine
from garboard._contexts.generator import Generator
from garboard.utils.data._datasets import copied_for_a_worker
from garboard.utils.data._handing_over import Born, handed_over
from garboard.utils.data._in_the_name import asking_line, called_at
from garboard.utils.data._reading import END, Reader, WorkerInfo, set_worker_info

__all__ = ["ThreadPool"]


class _Cancelled:
    """The last epoch whose tasks are not worth doing any more."""

    epoch = -1


def _born(batch: Any, since: int, line: int) -> Any:
    return batch if batch is END else Born(batch, since, line)


def _work(
    info: WorkerInfo,
    start: Callable[[int], object] | None,
    reader: Reader,
    tasks: SimpleQueue[Any],
    results: SimpleQueue[Any],
    cancelled: _Cancelled,
) -> None:
    set_worker_info(info)
    Generator._part_from_others(info.seed)
    failure: BaseException | None = None
    try:
        if start is not None:
            start(info.id)
    except BaseException as error:  # SystemExit too: the loop must hear of it
        failure = error
    at = -1
    while (task := tasks.get()) is not None:
        epoch, number, what, line = task
        if epoch != at:
            at, reader = epoch, reader.restarted(info.dataset)
        # Nothing here is named: what a frame holds lives until the next task.
        try:
            if epoch <= cancelled.epoch:
                results.put((number, END, None))
            elif failure is not None:
                results.put((number, None, failure))
            else:
                since = _engine._next_serials()[0]
                read = called_at(line)
                results.put((number, _born(read(reader.read, what), since, line), None))
        except BaseException as error:
            results.put((number, None, error))


def _of_copy(
    start: Callable[[int], object] | None, dataset: Any, copy: Any
) -> Callable[[int], object] | None:
    """A method of the dataset as that of the worker's copy, as in a process of its own."""
    is_method = isinstance(start, MethodType) and start.__self__ is dataset
    return MethodType(start.__func__, copy) if is_method else start  # type: ignore[union-attr]


class ThreadPool:
    """Threads that read, each from its own queue of tasks, into one queue of results."""

    def __init__(
        self,
        count: int,
        dataset: Any,
        reader: Reader,
        start: Callable[[int], object] | None,
        seed: int,
    ) -> None:
        self._tasks: list[SimpleQueue[Any]] = [SimpleQueue() for _ in range(count)]
        self._results: SimpleQueue[Any] = SimpleQueue()
        self._cancelled = _Cancelled()
        self._threads = []
        for place, tasks in enumerate(self._tasks):
            info = WorkerInfo(place, count, seed + place, copied_for_a_worker(dataset))
            begin = _of_copy(start, dataset, info.dataset)
            given = info, begin, reader, tasks, self._results, self._cancelled
            thread = Thread(target=_work, args=given, name=f"DataLoader {place}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def send(self, worker: int, epoch: int, number: int, task: Any) -> None:
        """Let a worker read a batch."""
        self._tasks[worker].put((epoch, number, task, asking_line()))

    def receive(self, timeout: float | None) -> tuple[int, Any, BaseException | None]:
        """Return the number of a task, and its batch or why there is none."""
        try:
            found: tuple[int, Any, BaseException | None] = self._results.get(timeout=timeout)
        except Empty:
            raise TimeoutError from None
        return found

    def hand_over(self, result: Any) -> Any:
        """Return a batch, as if it had been read here."""
        return handed_over(result)

    def cancel(self, epoch: int) -> None:
        """Leave out what has not begun of the tasks up to `epoch`."""
        self._cancelled.epoch = epoch

    def close(self, is_stuck: bool = False) -> None:
        """End the threads; those that are stuck in others' code end when that returns."""
        for tasks in self._tasks:
            tasks.put(None)
        if not is_stuck:
            for thread in self._threads:
                thread.join()

"""Workers that are threads: batches are read while the loop computes, in memory they share."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from types import MethodType
from typing import Any

from garboard import _engine
from garboard._arguments.nests import tensors_in
from garboard._contexts.generator import Generator
from garboard.utils.data._datasets import copied_for_a_worker
from garboard.utils.data._reading import END, Reader, WorkerInfo, set_worker_info

__all__ = ["ThreadPool"]


class _Cancelled:
    """The last epoch whose tasks are not worth doing any more."""

    epoch = -1


class _Born:
    """A batch, and the number of the first tensor that was made for it."""

    def __init__(self, batch: Any, since: int) -> None:
        self.batch, self.since = batch, since


def _born(batch: Any, since: int) -> Any:
    return batch if batch is END else _Born(batch, since)


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
        epoch, number, what = task
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
                results.put((number, _born(reader.read(what), since), None))
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
        self._tasks[worker].put((epoch, number, task))

    def receive(self, timeout: float | None) -> tuple[int, Any, BaseException | None]:
        """Return the number of a task, and its batch or why there is none."""
        try:
            found: tuple[int, Any, BaseException | None] = self._results.get(timeout=timeout)
        except Empty:
            raise TimeoutError from None
        return found

    def hand_over(self, result: Any) -> Any:
        """Return a batch, which belongs to the scope that is open now: so it would, had it been
        read here."""
        scope = _engine.current_dispose_scope()
        if scope is not None:
            for tensor in tensors_in(result.batch):
                is_new = not tensor.is_disposed and _engine._birth(tensor)[0] >= result.since
                if is_new and _engine._scope_of(tensor) is None:
                    scope.attach(tensor)
        return result.batch

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

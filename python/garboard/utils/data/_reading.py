"""How one batch is read: by the loop's own thread, or by a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from threading import local
from typing import Any

from garboard.utils.data._datasets import IterableDataset, samples_of

__all__ = ["END", "Reader", "WorkerInfo", "get_worker_info", "set_worker_info"]


class _End:
    """What a worker returns where its iterable dataset has no more; the same one once pickled."""

    def __reduce__(self) -> str:
        return "END"


END = _End()


@dataclass
class WorkerInfo:
    """Which worker of how many reads, as `get_worker_info()` tells it.

    Attributes:
        id: Its number, from 0.
        num_workers: How many there are.
        seed: What its process was seeded with; in a thread, of the loader's.
        dataset: What it reads: the loader's own in a thread, a copy in a process.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_here = local()


def get_worker_info() -> WorkerInfo | None:
    """Return which worker of a loader the calling code runs in; None outside of all.

    >>> print(gb.utils.data.get_worker_info())
    None
    """
    found: WorkerInfo | None = getattr(_here, "info", None)
    return found


def set_worker_info(info: WorkerInfo) -> None:
    """Let this thread be a worker."""
    _here.info = info


class Reader:
    """Reads batches of a dataset. A task is a list of numbers, or one number where there are no
    batches; of an iterable dataset, how many samples to take, or None for one by itself."""

    def __init__(self, dataset: Any, collate: Callable[[Any], Any], drop_last: bool) -> None:
        self._dataset = dataset
        self._collate = collate
        self._drop_last = drop_last
        self._samples: Iterator[Any] | None = None

    def restarted(self) -> Reader:
        """A reader at the beginning of the same dataset."""
        return Reader(self._dataset, self._collate, self._drop_last)

    def read(self, task: Any) -> Any:
        """Return a batch, or END."""
        if isinstance(self._dataset, IterableDataset):
            return self._next_of_stream(task)
        if not isinstance(task, list):
            return self._collate(self._dataset[task])
        return self._collate(samples_of(self._dataset, task))

    def _next_of_stream(self, count: int | None) -> Any:
        if self._samples is None:
            self._samples = iter(self._dataset)
        if count is None:
            for sample in self._samples:
                return self._collate(sample)
            return END
        samples = list(islice(self._samples, count))
        is_short = len(samples) < count
        return END if not samples or (is_short and self._drop_last) else self._collate(samples)

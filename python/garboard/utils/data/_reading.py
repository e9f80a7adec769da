"""How one batch is read: by the loop's own thread, or by a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
        seed: What it draws by: a number that the loader drew, and its own.
        dataset: What it reads, a copy of the loader's: in a thread, with attributes of its own that
            hold the same objects.
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
    """Reads batches of a dataset. A task is a list of numbers, or what the sampler gives where the
    loader makes no batches: a number, or several that the dataset takes at once; of an iterable
    dataset, how many samples to take, or None for one by itself."""

    def __init__(
        self, dataset: Any, collate: Callable[[Any], Any], drop_last: bool, makes_batches: bool
    ) -> None:
        self._dataset = dataset
        self._collate = collate
        self._drop_last = drop_last
        self._makes_batches = makes_batches
        self._samples: Iterator[Any] | None = None

    def restarted(self, dataset: Any) -> Reader:
        """One like this at the beginning of `dataset`."""
        return Reader(dataset, self._collate, self._drop_last, self._makes_batches)

    def read(self, task: Any) -> Any:
        """Return a batch, or END."""
        if isinstance(self._dataset, IterableDataset):
            return self._next_of_stream(task)
        if not self._makes_batches:
            return self._collate(self._dataset[task])
        return self._collate(samples_of(self._dataset, task))

    def _next_of_stream(self, count: int | None) -> Any:
        if self._samples is None:
            self._samples = iter(self._dataset)
        samples = list(_next_of(self._samples, 1 if count is None else count))
        if count is None:
            return self._collate(samples[0]) if samples else END
        is_short = len(samples) < count
        return END if not samples or (is_short and self._drop_last) else self._collate(samples)


def _next_of(samples: Iterator[Any], count: int) -> Iterator[Any]:
    """At most `count` more samples. A loop over `samples` would begin a dataset that is its own
    iterator anew."""
    for _ in range(count):
        try:
            yield next(samples)
        except StopIteration:
            return

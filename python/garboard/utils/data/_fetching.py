"""How PyTorch's loaders read batches, for programs that read some themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from garboard._arguments import check
from garboard.utils.data._datasets import samples_of

__all__ = ["IterableFetcher", "MapFetcher", "numpy_seeds"]


class _Fetcher:
    """Reads what a sampler asks for, and collates it."""

    def __init__(
        self,
        dataset: Any,
        auto_collation: bool,
        collate_fn: Callable[[Any], Any],
        drop_last: bool,
    ) -> None:
        op = type(self).__name__
        self.dataset = dataset
        self.auto_collation = check.flag(op, "auto_collation", auto_collation)
        self.collate_fn = check.function(op, "collate_fn", collate_fn)
        self.drop_last = check.flag(op, "drop_last", drop_last)

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Return a batch."""
        raise NotImplementedError(f"{type(self).__name__}: fetch; one of its own is needed")


class MapFetcher(_Fetcher):
    """Of a dataset with numbers: `fetch` takes a list of them, or one where there are no batches.

    >>> from garboard.utils.data._fetching import MapFetcher
    >>> MapFetcher([10, 20, 30], True, list, False).fetch([2, 0])
    [30, 10]
    """

    def fetch(self, possibly_batched_index: Any) -> Any:
        if not self.auto_collation:
            return self.collate_fn(self.dataset[possibly_batched_index])
        return self.collate_fn(samples_of(self.dataset, possibly_batched_index))


class IterableFetcher(_Fetcher):
    """Of a stream: `fetch` takes as many samples as it is given places.

    >>> from garboard.utils.data._fetching import IterableFetcher
    >>> IterableFetcher([10, 20, 30], True, list, False).fetch([0, 0])
    [10, 20]
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.dataset_iter: Iterator[Any] = iter(self.dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        samples = []
        for _ in possibly_batched_index:
            try:
                samples.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not samples or (self.drop_last and len(samples) < len(possibly_batched_index)):
            raise StopIteration
        return self.collate_fn(samples)


def numpy_seeds(base_seed: int, worker_id: int) -> list[int]:
    """Four numbers of 32 bits that seed NumPy's generator in a worker.

    >>> from garboard.utils.data._fetching import numpy_seeds
    >>> len(numpy_seeds(5, 0))
    4
    """
    from numpy.random import SeedSequence

    op = "_generate_state"
    base, worker = check.count(op, "base_seed", base_seed), check.count(op, "worker_id", worker_id)
    words = [worker & 0xFFFFFFFF, base & 0xFFFFFFFF, base >> 32 & 0xFFFFFFFF, 0]
    return [int(it) for it in SeedSequence(words).generate_state(4)]

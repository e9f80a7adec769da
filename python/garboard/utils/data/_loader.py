"""The loader: what is read, in which order, by whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import repeat
from typing import Any, Generic, TypeVar, cast
from warnings import warn
from weakref import finalize

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard.utils.data._collate import default_collate, default_convert
from garboard.utils.data._datasets import Dataset, IterableDataset, refuse_unless_indexed
from garboard.utils.data._draws import drawn_seed
from garboard.utils.data._pinning import can_pin, pinned
from garboard.utils.data._reading import END, Reader
from garboard.utils.data._samplers import BatchSampler, RandomSampler, SequentialSampler
from garboard.utils.data._workers import Failure, WorkerLoop, context_of, new_pool

__all__ = ["DataLoader", "DatasetKind"]

T_co = TypeVar("T_co", covariant=True)


class _Batches(Iterator[Any]):
    """One loop, which ends its workers when it is dropped. Its length is that of the whole loop.

    Programs begin one with a loader alone, be it one of their own that has the private attributes
    of PyTorch's.
    """

    def __init__(self, loader: Any, batches: Iterator[Any] | None = None) -> None:
        if batches is None:
            loader = loader if isinstance(loader, DataLoader) else loader_like(loader)
            batches = iter(loader)
        self._loader: DataLoader[Any] = loader
        self._batches, self._count = batches, 0

    def __next__(self) -> Any:
        batch = next(self._batches)
        if isinstance(batch, Failure):
            del self  # a traceback that somebody keeps shall not keep the workers
            batch.raise_error()
        self._count += 1
        told = self._loader._told_length
        if told is not None and self._count > told:
            warn(
                f"DataLoader: batch {self._count} of an IterableDataset whose length says {told}; "
                "with several workers each one must yield its share alone, see get_worker_info()",
                stacklevel=2,
            )
        return batch

    def __len__(self) -> int:
        return self._loader._length()


# What others were made of when the loader was: setting it later would change nothing.
_SET_ONCE = frozenset(
    ("batch_sampler", "batch_size", "dataset", "drop_last", "persistent_workers", "sampler")
)


class DataLoader(Generic[T_co]):
    """Yield batches of a dataset, anew at each loop over it.

    Samples are read in the calling thread, or by workers ahead of the loop: threads, or processes
    where `multiprocessing_context` names how they start. Batches come in the same order for any
    number of workers, and for the same seed. What a loop does not keep of a batch dies when it asks
    for the next one. An error of a worker is raised where the loop asks for that batch; a loop
    that goes on behind it gets the batches that are left, and one that is left ends its workers.

    Args:
        dataset: Samples by number: a `Dataset`, or any sequence; or an `IterableDataset`.
        batch_size: Samples in a batch; None yields them one by one, arrays made tensors.
        shuffle: Draw an order at each loop.
        sampler: Gives the numbers of samples, instead of `shuffle`; with `batch_size=None` what the
            dataset takes, as lists of numbers.
        batch_sampler: Gives lists of numbers, instead of all that says what a batch is.
        num_workers: How many workers read; 0 reads in the calling thread.
        collate_fn: Makes a batch of a list of samples; `default_collate` by default, or
            `default_convert` of one sample where there are no batches.
        pin_memory: Yield tensors in pinned memory, which a device copies from by itself; what has
            a method `pin_memory` is asked for it. Without a device it warns and changes nothing.
        drop_last: Leave out a last batch that is smaller.
        timeout: How many seconds to wait for a worker; 0 waits for any time.
        worker_init_fn: Called with its number in each worker first.
        multiprocessing_context: "spawn", "fork" or "forkserver", or a context of
            `multiprocessing`: workers are processes, with copies of the dataset, and arrays come
            back through shared memory. None makes them threads: each reads a copy of the dataset
            whose attributes hold the same objects. In either, `gb` draws from a generator of the
            worker's own; in threads `random` and `numpy.random` are still everybody's.
        generator: What orders, and the seeds of workers, are drawn with; by default the engine's
            own generator.
        prefetch_factor: How many batches each worker reads ahead, 2 by default.
        persistent_workers: Keep the workers for the next loop; they end with the loader.
        pin_memory_device: Ignored: pinned memory serves every device.
        in_order: Taken and ignored: batches always come in order.

    Raises:
        TypeError: A dataset without a length or samples by number, or another argument of another
            type.
        ValueError: A batch size below one, or arguments that exclude each other.

    >>> dataset = gb.utils.data.TensorDataset(gb.arange(5))
    >>> [x.tolist() for (x,) in gb.utils.data.DataLoader(dataset, batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    _iterator: Any = None  # no loop is kept; programs that end PyTorch's loops look for one

    def __init__(
        self,
        dataset: Dataset[T_co] | Sequence[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Sequence[int]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[T_co]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], object] | None = None,
        multiprocessing_context: Any = None,
        generator: object = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        op = "DataLoader"
        self._is_stream = isinstance(dataset, IterableDataset)
        if not self._is_stream:
            self._refuse_unindexed(dataset, sampler, batch_sampler)
        if batch_size is not None:
            batch_size = check.integer(op, "batch_size", batch_size, "an int, or None,")
            if batch_size < 1:
                raise ValueError(
                    f"{op}: batch_size {shown(batch_size)}; 1 or more is needed, or None"
                )
        if collate_fn is not None:
            check.function(op, "collate_fn", collate_fn, "a function of a list of samples")
        self.dataset: Any = dataset
        self.drop_last: bool = check.flag(op, "drop_last", drop_last)
        self._is_shuffled = False if shuffle is None else check.flag(op, "shuffle", shuffle)
        if batch_size is None and self.drop_last:
            raise ValueError(f"{op}: drop_last without batches; a batch_size is needed")
        self._refuse_both(sampler, batch_sampler, batch_size)
        self.generator: object = generator
        if sampler is None and batch_sampler is None and not self._is_stream:
            kind = RandomSampler if self._is_shuffled else SequentialSampler
            given: dict[str, Any] = {"generator": generator} if self._is_shuffled else {}
            sampler = kind(cast("Sized", dataset), **given)
        # Beside lists of numbers the order is nobody's, and programs ask which one it would be.
        if batch_sampler is not None:
            sampler = SequentialSampler(cast("Sized", dataset))
        self.sampler: Any = sampler
        self.batch_size: int | None = None if batch_sampler is not None else batch_size
        if batch_sampler is None and batch_size is not None and sampler is not None:
            batch_sampler = BatchSampler(sampler, batch_size, self.drop_last)
        self.batch_sampler: Any = batch_sampler
        usual = default_collate if self._auto_collation else default_convert
        self.collate_fn: Any = collate_fn or usual
        self.num_workers: int = check.count(op, "num_workers", num_workers)
        self.pin_memory: bool = check.flag(op, "pin_memory", pin_memory)
        self.pin_memory_device: str = pin_memory_device  # kept for programs that make it anew
        self.in_order: bool = check.flag(op, "in_order", in_order)
        self.timeout: float = check.rate(op, "timeout", timeout)
        if worker_init_fn is not None:
            check.function(op, "worker_init_fn", worker_init_fn)
        self.worker_init_fn: Callable[[int], object] | None = worker_init_fn
        if multiprocessing_context is not None:
            context_of(multiprocessing_context, self.num_workers)  # refuses what is none
        self._context = multiprocessing_context
        if prefetch_factor is not None:
            check.count(op, "prefetch_factor", prefetch_factor, 1)
        has_default = prefetch_factor is None and self.num_workers
        self.prefetch_factor: int | None = 2 if has_default else prefetch_factor
        self.persistent_workers: bool = check.flag(op, "persistent_workers", persistent_workers)
        if not self.num_workers and (self.persistent_workers or prefetch_factor is not None):
            raise ValueError(
                f"{op}: prefetch_factor or persistent_workers without workers; num_workers is "
                "needed"
            )
        self._pool: Any = None
        self._told_length: int | None = None
        self._epoch = 0

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None or self.batch_size is not None

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __setattr__(self, name: str, value: object) -> None:
        if name in _SET_ONCE and "_epoch" in vars(self):
            raise ValueError(
                f"DataLoader: {name} of a loader that is there; make another one for another"
            )
        super().__setattr__(name, value)

    # Properties: programs make a loader anew with what its `__dict__` says, and these two stand for
    # the sampler, or are refused without workers.
    @property
    def shuffle(self) -> bool:
        """Whether the samples come in an order that is drawn for each loop.

        >>> gb.utils.data.DataLoader([1, 2]).shuffle
        False
        """
        return self._is_shuffled

    @property
    def multiprocessing_context(self) -> Any:
        """What starts workers as processes; None for threads.

        Raises:
            TypeError: Something else is set than the name of a start method or a context.
            ValueError: It is set where there are no workers.

        >>> print(gb.utils.data.DataLoader([1, 2]).multiprocessing_context)
        None
        """
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, given: object) -> None:
        if given is not None:
            context_of(given, self.num_workers)  # refuses what is none
        self._context = given

    def _refuse_unindexed(self, dataset: Any, *orders: Any) -> None:
        # Where an order is given, no length is asked for; of a Dataset, when the loop begins.
        by_length = all(it is None for it in orders) and not isinstance(dataset, Dataset)
        needed = "a Dataset, or a list of samples,"
        refuse_unless_indexed("DataLoader", "dataset", dataset, needed, by_length=by_length)

    def _refuse_both(self, sampler: Any, batch_sampler: Any, batch_size: int | None) -> None:
        op = "DataLoader"
        for name, it in (("sampler", sampler), ("batch_sampler", batch_sampler)):
            if it is not None and not isinstance(it, Iterable):
                raise TypeError(f"{op}: {name} is of type {type(it).__name__}; a Sampler is needed")
        if sampler is not None and self._is_shuffled:
            raise ValueError(f"{op}: a sampler and shuffle; one of them is needed")
        if batch_sampler is not None and (
            batch_size != 1 or self._is_shuffled or sampler is not None or self.drop_last
        ):
            raise ValueError(
                f"{op}: a batch_sampler beside batch_size, shuffle, sampler or drop_last, which it "
                "stands for; leave them out"
            )
        if self._is_stream and (
            self._is_shuffled or sampler is not None or batch_sampler is not None
        ):
            raise ValueError(
                f"{op}: an order for an IterableDataset, which has one of its own; leave shuffle, "
                "sampler and batch_sampler out"
            )

    def __len__(self) -> int:
        count = self._length()
        if self._is_stream:
            self._told_length = count
        return count

    def _length(self) -> int:
        if not self._is_stream:
            return len(self._index_sampler)
        if not hasattr(type(self.dataset), "__len__"):
            kind = type(self.dataset).__name__
            raise TypeError(f"DataLoader: {kind} is an IterableDataset without __len__()")
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def _tasks(self) -> Iterator[Any]:
        """What is read one after the other, as a `Reader` takes it."""
        if self._is_stream:
            return repeat(self.batch_size)
        if not self._auto_collation:  # a subclass may ask a dataset for a batch at once
            return iter(self._index_sampler)
        return map(list, self._index_sampler)

    def __iter__(self) -> Iterator[Any]:
        makes_batches = not self._is_stream and self._auto_collation
        reader = Reader(self.dataset, self.collate_fn, self.drop_last, makes_batches)
        seed = drawn_seed("DataLoader", self.generator)  # without workers too, so that orders agree
        batches = self._with_workers(reader, seed) if self.num_workers else self._alone(reader)
        if self.num_workers:
            next(batches)  # workers begin now: a seed that is set from here on changes no order
        is_pinned = self.pin_memory and can_pin("DataLoader")
        return _Batches(self, map(pinned, batches) if is_pinned else batches)

    def _alone(self, reader: Reader) -> Iterator[Any]:
        """No generator: one that a sample's error leaves is at its end, this goes on behind it."""
        if self._is_stream:
            return iter(lambda: reader.read(self.batch_size), END)
        return map(reader.read, self._tasks())

    def _with_workers(self, reader: Reader, seed: int) -> Iterator[Any]:
        """Yields None when the workers have begun, and batches from then on."""
        pool, self._pool = self._pool, None  # two loops at once have a pool each
        if pool is None:
            pool = new_pool(self, reader, seed)
            if self.persistent_workers:
                finalize(self, pool.close)
        self._epoch += 1
        loop = WorkerLoop(pool, self.num_workers, self._epoch, self._tasks(), self.timeout or None)
        try:
            loop.fill(self.num_workers * (self.prefetch_factor or 1))
            yield None
            while loop.has_next():
                yield loop.next()
        except GeneratorExit:
            raise
        except BaseException:
            loop.is_broken = True
            raise
        finally:
            if self.persistent_workers and loop.end() and self._pool is None:
                self._pool = pool
            else:
                loop.close()


class DatasetKind:
    """How a loader reads its dataset: by number, or one sample after the other."""

    Map, Iterable = 0, 1


class _Stream(IterableDataset[Any]):
    """What a loader of a program's own reads one after the other; to a worker, that itself."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def __iter__(self) -> Iterator[Any]:
        return iter(self._dataset)

    def __getattr__(self, name: str) -> Any:
        if name == "_dataset":  # of one that is being unpickled
            raise AttributeError(name)
        return getattr(self._dataset, name)


def loader_like(given: Any) -> DataLoader[Any]:
    """Make a loader of the private attributes of PyTorch's, as an object of a program's has them.

    The object says by `_auto_collation` whether its `_index_sampler` gives lists of numbers.
    """
    has_batches = given._auto_collation
    orders: dict[str, Any] = {"batch_size": None}
    if given._dataset_kind == DatasetKind.Iterable:
        dataset = given.dataset if isinstance(given.dataset, IterableDataset) else None
        dataset = _Stream(given.dataset) if dataset is None else dataset
        if has_batches:
            orders = {"batch_size": given.batch_size, "drop_last": given.drop_last}
    else:
        dataset = given.dataset
        order = given._index_sampler
        orders = {"batch_sampler": order} if has_batches else {"batch_size": None, "sampler": order}
    workers = {
        name: getattr(given, name)
        for name in ("multiprocessing_context", "prefetch_factor")
        if given.num_workers
    }
    return DataLoader(
        dataset,
        num_workers=given.num_workers,
        collate_fn=given.collate_fn,
        pin_memory=given.pin_memory,
        timeout=given.timeout,
        worker_init_fn=given.worker_init_fn,
        generator=given.generator,
        **orders,
        **workers,
    )

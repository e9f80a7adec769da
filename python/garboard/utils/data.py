"""Datasets, and loaders that make batches of them.

A loader opens no dispose scope: a batch belongs to the scope that is open where the loop asks for
it, and what was needed to make it has gone before the loop sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isclose
from numbers import Real
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from garboard import _check as check
from garboard import _engine
from garboard._engine import ShapeError, Tensor
from garboard._given import items_of, keys_of, list_of, refuse_unless_list
from garboard._missing import module_getattr
from garboard._texts import shown

__all__ = ["DataLoader", "Dataset", "Subset", "TensorDataset", "default_collate", "random_split"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)


T_co = TypeVar("T_co", covariant=True)
_DEEPEST = 64


class Dataset(Generic[T_co]):
    """Base of what a loader reads: samples by number. A subclass defines both methods.

    >>> class Squares(gb.utils.data.Dataset[gb.Tensor]):
    ...     def __getitem__(self, index):
    ...         return gb.tensor(index * index)
    ...
    ...     def __len__(self):
    ...         return 3
    >>> [x.tolist() for x in gb.utils.data.DataLoader(Squares(), batch_size=3)]
    [[0, 1, 4]]
    """

    def __getitem__(self, index: int) -> T_co:
        raise NotImplementedError(
            f"{type(self).__name__}: __getitem__() is missing; a Dataset that is read defines it"
        )

    def __len__(self) -> int:
        raise NotImplementedError(
            f"{type(self).__name__}: __len__() is missing; a Dataset that is loaded defines it"
        )


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Samples that are rows of tensors: sample i is the tuple of their i-th rows, as views.

    Args:
        *tensors: One or more, equal at dim 0; kept alive.

    Raises:
        TypeError: Something that is no Tensor.
        ShapeError: The tensors have different numbers of rows, or one has no dims.

    >>> from garboard.utils.data import TensorDataset
    >>> TensorDataset(gb.arange(3), gb.zeros(3, 2))[1]
    (tensor(1), tensor([0., 0.]))
    """

    def __init__(self, *tensors: Tensor) -> None:
        list_of(Tensor, "TensorDataset", "tensors", tensors, "Tensors")
        rows = [tuple(tensor.shape[:1]) for tensor in tensors]
        if not rows or rows[0] == () or len(set(rows)) > 1:
            sizes = [list(tensor.shape) for tensor in tensors]
            raise ShapeError(
                f"TensorDataset: tensors of sizes {sizes}; one or more, equal at dim 0, are needed"
            )
        self.tensors = tensors

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]


def _refuse_unless_indexed(op: str, name: str, given: object, needed: str) -> None:
    if not hasattr(type(given), "__len__") or not hasattr(type(given), "__getitem__"):
        raise TypeError(f"{op}: {name} is of type {type(given).__name__}; {needed} is needed")


class Subset(Dataset[T_co]):
    """The samples of a dataset that have certain numbers, in that order.

    Args:
        dataset: Where the samples come from.
        indices: Their numbers.

    Raises:
        TypeError: `indices` have no length, or cannot be read by place.

    >>> from garboard.utils.data import Subset, TensorDataset
    >>> Subset(TensorDataset(gb.arange(3)), [2, 0])[0]
    (tensor(2),)
    """

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        _refuse_unless_indexed("Subset", "dataset", dataset, "a Dataset, or a list of samples,")
        _refuse_unless_indexed("Subset", "indices", indices, "a list of numbers")
        self.dataset: Dataset[T_co] = dataset
        self.indices: Sequence[int] = indices

    def __getitem__(self, index: int) -> T_co:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def _shuffled(count: int) -> list[int]:
    """The numbers below `count` in an order drawn from the engine's generator."""
    with _engine.DisposeScope("shuffle"):
        keys: list[float] = _engine.rand(count, dtype=_engine.float64).tolist()
    return sorted(range(count), key=keys.__getitem__)


def random_split(dataset: Dataset[T_co], lengths: Sequence[float]) -> list[Subset[T_co]]:
    """Split a dataset into subsets that share no sample, drawn with the engine's generator.

    Args:
        dataset: What to split.
        lengths: A list of counts that add up to the dataset's; or of fractions that add up to one,
            rounded down, the first subsets taking what is left over, one each.

    Returns:
        A list of Subset, one a length.

    Raises:
        TypeError: `lengths` is no list of numbers, or `dataset` no dataset.
        ValueError: The lengths do not add up, or one is negative.

    >>> from garboard.utils.data import TensorDataset, random_split
    >>> [len(part) for part in random_split(TensorDataset(gb.arange(10)), [0.8, 0.2])]
    [8, 2]
    """
    _refuse_unless_indexed("random_split", "dataset", dataset, "a Dataset, or a list of samples,")
    refuse_unless_list("random_split", "lengths", lengths, "numbers")
    lengths = list_of(Real, "random_split", "lengths", items_of(lengths), "numbers")  # type: ignore
    total = len(dataset)
    counts: list[int] = []
    if min(lengths, default=0) < 0:
        pass
    elif any(isinstance(length, float) for length in lengths) and isclose(sum(lengths), 1):
        counts = [int(total * length) for length in lengths]
        for place in range(total - sum(counts)):
            counts[place % len(counts)] += 1
    elif all(length == length // 1 for length in lengths):  # not so for NaN and infinity
        counts = [int(length) for length in lengths]
    if len(counts) != len(lengths) or sum(counts) != total:
        raise ValueError(
            f"random_split: lengths [{', '.join(map(shown, lengths))}] of {total} samples; counts "
            "that add up to that, or fractions that add up to 1, are needed"
        )
    order, parts, start = _shuffled(total), [], 0
    for count in counts:
        parts.append(Subset(dataset, order[start : start + count]))
        start += count
    return parts


def default_collate(samples: Sequence[Any]) -> Any:
    """Make one batch of samples that are alike: tensors are stacked along a new dim 0.

    Numbers become a tensor; of tuples, lists and dicts each part is collated by itself.

    Args:
        samples: A list of them.

    Returns:
        What a sample is, with tensors of one more dim for its tensors, arrays and numbers.

    Raises:
        TypeError: A sample is of a type that cannot be batched; give the loader a `collate_fn`.
        ValueError: No samples, dicts of different keys, or a nest that holds itself.
        ShapeError: Tensors of different sizes.

    >>> gb.utils.data.default_collate([(gb.zeros(2), 1), (gb.ones(2), 0)])
    (tensor([[0., 0.],
            [1., 1.]]), tensor([1, 0]))
    """
    refuse_unless_list("default_collate", "samples", samples, "samples")
    return _collated(items_of(samples), 0)


def _collated(samples: list[Any], depth: int) -> Any:
    if depth > _DEEPEST:
        raise ValueError(
            f"default_collate: samples nested more than {_DEEPEST} deep; a collate_fn of yours is "
            "needed"
        )
    if not samples:
        raise ValueError("default_collate: no samples; at least one is needed")
    first = samples[0]
    if isinstance(first, Tensor):
        return _engine.stack(samples)
    if isinstance(first, (bool, int, float)):
        return _engine.tensor(list(samples))
    if isinstance(first, (tuple, list)):
        for place, sample in enumerate(samples):
            if not isinstance(sample, (tuple, list)) or len(sample) != len(first):
                raise ValueError(
                    f"default_collate: sample {place} is no sequence of {len(first)}, as the first "
                    "is; samples that are alike are needed"
                )
        parts = [_collated([*part], depth + 1) for part in zip(*samples, strict=True)]
        if hasattr(first, "_fields"):
            return type(first)(*parts)
        return type(first)(parts)
    if isinstance(first, Mapping):
        keys = keys_of(object, "default_collate", "a sample", first, "parts")
        for place, sample in enumerate(samples):
            if not isinstance(sample, Mapping) or any(key not in sample for key in keys):
                raise ValueError(
                    f"default_collate: sample {place} lacks a key of the first; samples with the "
                    "same keys are needed"
                )
        return {key: _collated([it[key] for it in samples], depth + 1) for key in keys}
    if hasattr(first, "__array_interface__"):
        return _engine.stack([_engine.as_tensor(sample) for sample in samples])
    raise TypeError(
        f"default_collate: a sample of type {type(first).__name__}; tensors, numbers, arrays, or "
        "tuples, lists and dicts of them are needed, or a collate_fn of yours"
    )


class DataLoader(Generic[T_co]):
    """Yield batches of a dataset, anew at each loop over it.

    Samples are read in the calling thread. What a loop does not keep of a batch dies when it asks
    for the next one.

    Args:
        dataset: Samples by number: a `Dataset`, or any sequence.
        batch_size: Samples in a batch; None yields them one by one, as they are.
        shuffle: Draw an order from the engine's generator at each loop.
        collate_fn: Makes a batch of a list of samples; `default_collate` by default.
        drop_last: Leave out a last batch that is smaller.

    Raises:
        TypeError: A dataset without a length or samples by number, or another argument of another
            type.
        ValueError: A batch size below one, or `drop_last` without batches.

    >>> dataset = gb.utils.data.TensorDataset(gb.arange(5))
    >>> [x.tolist() for (x,) in gb.utils.data.DataLoader(dataset, batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Dataset[T_co] | Sequence[T_co],
        batch_size: int | None = 1,
        shuffle: bool = False,
        *,
        collate_fn: Callable[[list[T_co]], Any] | None = None,
        drop_last: bool = False,
    ) -> None:
        _refuse_unless_indexed("DataLoader", "dataset", dataset, "a Dataset, or a list of samples,")
        if batch_size is not None:
            batch_size = check.integer("DataLoader", "batch_size", batch_size, "an int, or None,")
            if batch_size < 1:
                raise ValueError(
                    f"DataLoader: batch_size {shown(batch_size)}; 1 or more is needed, or None"
                )
        if collate_fn is not None and not callable(collate_fn):
            raise TypeError(
                f"DataLoader: collate_fn is of type {type(collate_fn).__name__}; a function of a "
                "list of samples is needed"
            )
        if batch_size is None and drop_last:
            raise ValueError("DataLoader: drop_last without batches; a batch_size is needed")
        self.dataset: Dataset[T_co] | Sequence[T_co] = dataset
        self.batch_size: int | None = batch_size
        self.shuffle: bool = check.flag("DataLoader", "shuffle", shuffle)
        self.drop_last: bool = check.flag("DataLoader", "drop_last", drop_last)
        self.collate_fn: Callable[[list[T_co]], Any] = collate_fn or default_collate

    def __len__(self) -> int:
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        count = len(self.dataset)
        order: Sequence[int] = _shuffled(count) if self.shuffle else range(count)
        # What a generator's frame holds lives until the next batch: hence no names for samples.
        if self.batch_size is None:
            for number in order:
                yield self.dataset[number]
            return
        for batch in range(len(self)):
            start = batch * self.batch_size
            yield self._batch(order[start : start + self.batch_size])

    def _batch(self, numbers: Sequence[int]) -> Any:
        return self.collate_fn([self.dataset[number] for number in numbers])

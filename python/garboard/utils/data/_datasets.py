"""Datasets: samples by number, or one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import accumulate
from typing import Any, Generic, TypeVar

from garboard._arguments.given import list_of
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, ShapeError, Tensor

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "copied_for_a_worker",
    "refuse_unless_indexed",
    "samples_of",
]

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Base of what a loader reads: samples by number. A subclass defines `__getitem__` and
    `__len__`, which is not here: programs ask `hasattr(dataset, "__len__")`.

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

    def __add__(self, other: Dataset[Any]) -> ConcatDataset[Any]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """Base of what a loader reads one sample after the other. A subclass defines `__iter__`.

    Every worker of a loader goes through all of it, unless it asks `get_worker_info()` which part
    is its own.

    >>> class Squares(gb.utils.data.IterableDataset[int]):
    ...     def __iter__(self):
    ...         return iter([0, 1, 4])
    >>> [x.tolist() for x in gb.utils.data.DataLoader(Squares(), batch_size=2)]
    [[0, 1], [4]]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(
            f"{type(self).__name__}: __iter__() is missing; an IterableDataset defines it"
        )

    def __add__(self, other: Dataset[Any]) -> ChainDataset[Any]:  # type: ignore[override]
        return ChainDataset([self, other])


class DatasetError(ShapeError, AssertionError):
    """Tensors that do not go together; an AssertionError too, as PyTorch's is."""


class NoDatasetError(ValueError, AssertionError):
    """No datasets where some are needed; an AssertionError too, as PyTorch's is."""


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Samples that are rows of tensors: sample i is the tuple of their i-th rows, as views.

    Args:
        *tensors: One or more, equal at dim 0; kept alive.

    Raises:
        TypeError: Something that is no Tensor.
        DatasetError: The tensors have different numbers of rows, or one has no dims; a ShapeError,
            and an AssertionError as in PyTorch.

    >>> from garboard.utils.data import TensorDataset
    >>> TensorDataset(gb.arange(3), gb.zeros(3, 2))[1]
    (tensor(1), tensor([0., 0.]))
    """

    def __init__(self, *tensors: Tensor) -> None:
        list_of(Tensor, "TensorDataset", "tensors", tensors, "Tensors")
        rows = [tuple(tensor.shape[:1]) for tensor in tensors]
        if not rows or rows[0] == () or len(set(rows)) > 1:
            sizes = [list(tensor.shape) for tensor in tensors]
            raise DatasetError(
                f"TensorDataset: tensors of sizes {sizes}; one or more, equal at dim 0, are needed"
            )
        self.tensors = tensors

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]


def samples_of(dataset: Any, numbers: list[int]) -> list[Any]:
    """Several samples: at once where the dataset can."""
    at_once = getattr(dataset, "__getitems__", None)
    found: list[Any] = at_once(numbers) if callable(at_once) else [dataset[it] for it in numbers]
    return found


def refuse_unless_indexed(
    op: str, name: str, given: object, needed: str, *, by_length: bool = True
) -> None:
    kind = type(given)
    if by_length and isinstance(given, Dataset) and not hasattr(kind, "__len__"):
        raise TypeError(f"{op}: {name} is a {kind.__name__}, which has no __len__(); it is needed")
    has_length = not by_length or hasattr(kind, "__len__")
    if not has_length or not hasattr(kind, "__getitem__"):
        raise TypeError(f"{op}: {name} is of type {kind.__name__}; {needed} is needed")


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
        needed = "a Dataset, or a list of samples,"
        refuse_unless_indexed("Subset", "dataset", dataset, needed, by_length=False)
        refuse_unless_indexed("Subset", "indices", indices, "a list of numbers")
        self.dataset: Dataset[T_co] = dataset
        self.indices: Sequence[int] = indices

    def __getitem__(self, index: int) -> T_co:
        if isinstance(index, list):
            return self.dataset[[self.indices[it] for it in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list[T_co]:
        if type(self).__getitem__ is not Subset.__getitem__:  # a subclass changes samples
            return [self[it] for it in indices]
        return samples_of(self.dataset, [self.indices[it] for it in indices])

    def __len__(self) -> int:
        return len(self.indices)


def _datasets(op: str, given: Iterable[Any]) -> list[Any]:
    found = list_of(object, op, "datasets", given, "Datasets")
    if not found:
        raise NoDatasetError(f"{op}: no datasets; at least one is needed")
    return found


class ConcatDataset(Dataset[T_co]):
    """The samples of several datasets, one dataset after the other.

    Args:
        datasets: A list of them, each with samples by number and a length.

    Raises:
        TypeError: One without a length or samples by number.
        ValueError: No datasets.
        IndexOutOfRangeError: When read, a number beyond all of them.

    >>> from garboard.utils.data import ConcatDataset
    >>> both = ConcatDataset([[10, 11], [12]])
    >>> len(both), both[2], both[-1]
    (3, 12, 12)
    """

    def __init__(self, datasets: Iterable[Dataset[T_co] | Sequence[T_co]]) -> None:
        self.datasets: list[Any] = _datasets("ConcatDataset", datasets)
        for place, dataset in enumerate(self.datasets):
            if isinstance(dataset, IterableDataset):
                raise TypeError(
                    f"ConcatDataset: datasets[{place}] is an IterableDataset; use ChainDataset"
                )
            refuse_unless_indexed(
                "ConcatDataset", f"datasets[{place}]", dataset, "a Dataset, or a list of samples,"
            )
        self.cumulative_sizes: list[int] = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Iterable[Sized]) -> list[int]:
        """Return where each of several datasets ends, counted from the first sample of all.

        Args:
            sequence: The datasets.

        Raises:
            TypeError: One has no length.

        >>> gb.utils.data.ConcatDataset.cumsum([[10, 11], [12]])
        [2, 3]
        """
        return list(accumulate(map(len, sequence)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> T_co:
        count = len(self)
        if not -count <= index < count:
            raise IndexOutOfRangeError(
                f"ConcatDataset: index {shown(index)} of {count} samples; one in "
                f"[{-count}, {count}) is needed"
            )
        number = index + count if index < 0 else index
        place = bisect_right(self.cumulative_sizes, number)
        before = self.cumulative_sizes[place - 1] if place else 0
        sample: T_co = self.datasets[place][number - before]
        return sample


class ChainDataset(IterableDataset[T_co]):
    """The samples of several iterable datasets, one dataset after the other.

    Args:
        datasets: A list of them.

    Raises:
        TypeError: Something that is no list.

    >>> from garboard.utils.data import ChainDataset
    >>> list(ChainDataset([[1, 2], [3]]))
    [1, 2, 3]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets: list[Any] = list_of(object, "ChainDataset", "datasets", datasets, "Datasets")

    def __iter__(self) -> Iterator[T_co]:
        for dataset in self.datasets:
            yield from dataset

    def __len__(self) -> int:
        return sum(map(len, self.datasets))


class StackDataset(Dataset[Any]):
    """Samples that are put together from those of several datasets, number by number.

    Args:
        *args: Datasets of the same length; a sample is a tuple.
        **kwargs: Datasets by name; a sample is a dict.

    Raises:
        ValueError: No datasets, both kinds, or different lengths.
        TypeError: One without a length or samples by number.

    >>> from garboard.utils.data import StackDataset
    >>> StackDataset([1, 2], ["a", "b"])[1], StackDataset(x=[1, 2])[0]
    ((2, 'b'), {'x': 1})
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError("StackDataset: datasets by place or by name, and some, are needed")
        self.datasets: Any = kwargs or args
        named = kwargs.items() if kwargs else enumerate(args)
        for name, dataset in named:
            refuse_unless_indexed(
                "StackDataset", f"datasets[{name}]", dataset, "a Dataset, or a list of samples,"
            )
        counts = [len(dataset) for dataset in (kwargs.values() if kwargs else args)]
        if len(set(counts)) > 1:
            raise ValueError(f"StackDataset: datasets of lengths {counts}; equal ones are needed")
        self._length = counts[0]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(
        self, indices: list[int]
    ) -> list[tuple[object, ...]] | list[dict[str, object]]:
        if not isinstance(self.datasets, dict):
            parts = [self._parts_of(it, indices) for it in self.datasets]
            return list(zip(*parts, strict=True))
        parts = [self._parts_of(it, indices) for it in self.datasets.values()]
        return [dict(zip(self.datasets, part, strict=True)) for part in zip(*parts, strict=True)]

    def _parts_of(self, dataset: Any, indices: list[int]) -> list[Any]:
        parts = samples_of(dataset, indices)
        if len(parts) != len(indices):
            raise ValueError(
                f"StackDataset: {len(parts)} samples of {type(dataset).__name__}.__getitems__; "
                f"{len(indices)} are needed"
            )
        return parts


def copied_for_a_worker(dataset: Any) -> Any:
    """The dataset, and those that it reads, each with attributes of its own that hold the same.

    So what a worker's start sets in its dataset, or a dataset while it is read, is that worker's.
    What is not made of attributes alone is given back as it is.
    """
    return _copied(dataset, {})


def _copied(value: Any, copies: dict[int, Any]) -> Any:
    if id(value) in copies:
        return copies[id(value)]
    made: Any
    if type(value) is list and value and isinstance(value[0], Dataset):
        copies[id(value)] = made = []
        made.extend(_copied(each, copies) for each in value)
    elif isinstance(value, Dataset) and type(value).__basicsize__ == Dataset.__basicsize__:
        copies[id(value)] = made = object.__new__(type(value))
        vars(made).update((name, _copied(each, copies)) for name, each in vars(value).items())
    else:
        made = value
    return made

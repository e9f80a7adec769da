"""Samplers: which samples a loader reads, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from math import inf
from typing import Any, Generic, TypeVar

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import items_of, refuse_unless_list
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard.utils.data._draws import picked, shuffled, uniform

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
    "refuse_unless_sized",
]

T_co = TypeVar("T_co", covariant=True)


def refuse_unless_sized(op: str, name: str, given: Any) -> Any:
    if not hasattr(type(given), "__len__"):
        raise TypeError(
            f"{op}: {name} is of type {type(given).__name__}; what has a length is needed"
        )
    return given


class Sampler(Generic[T_co]):
    """Base of samplers. A subclass defines `__iter__`, which gives numbers of samples, or lists of
    them where it is given as `batch_sampler`.

    >>> class Backwards(gb.utils.data.Sampler[int]):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    >>> loader = gb.utils.data.DataLoader([10, 11, 12], batch_size=3, sampler=Backwards())
    >>> next(iter(loader))
    tensor([12, 11, 10])
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(
            f"{type(self).__name__}: __iter__() is missing; a Sampler defines it"
        )


class SequentialSampler(Sampler[int]):
    """The numbers of a dataset's samples in order.

    Args:
        data_source: The dataset.

    Raises:
        TypeError: It has neither a length nor samples by number. Without a length, what has these
            is refused when the numbers are asked for.

    >>> list(gb.utils.data.SequentialSampler([10, 11, 12]))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        if not hasattr(type(data_source), "__getitem__"):
            refuse_unless_sized("SequentialSampler", "data_source", data_source)
        self.data_source: Sized = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __len__(self) -> int:
        if not hasattr(type(self.data_source), "__len__"):
            raise TypeError(
                f"{type(self.data_source).__name__}: __len__() is missing; a Dataset that is "
                "loaded defines it"
            )
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The numbers of a dataset's samples in an order that is drawn anew each time.

    Args:
        data_source: The dataset.
        replacement: Draw each number from all of them.
        num_samples: How many; by default as many as there are. Without replacement all are drawn
            before one comes again.
        generator: What is drawn with; by default the engine's own generator.

    Raises:
        TypeError: The dataset has no length, or a number is none.
        ValueError: Less than one sample, as of an empty dataset.

    >>> sorted(gb.utils.data.RandomSampler([10, 11, 12]))
    [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: object = None,
    ) -> None:
        op = "RandomSampler"
        self.data_source: Sized = refuse_unless_sized(op, "data_source", data_source)
        self.replacement: bool = check.flag(op, "replacement", replacement)
        self._num_samples: int | None = num_samples
        check.count(op, "num_samples", self.num_samples, 1)
        self.generator: object = generator

    @property
    def num_samples(self) -> int:
        """How many numbers it gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        total, left = len(self.data_source), self.num_samples
        while left > 0 and total > 0:
            if self.replacement:
                count = min(left, 4096)
                draws = uniform("RandomSampler", count, self.generator)
                yield from [int(it * total) for it in draws]
            else:
                count = min(left, total)
                yield from shuffled("RandomSampler", total, self.generator)[:count]
            left -= count

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Some numbers, in an order that is drawn anew each time.

    Args:
        indices: The numbers.
        generator: What is drawn with; by default the engine's own generator.

    Raises:
        TypeError: `indices` have no length.

    >>> sorted(gb.utils.data.SubsetRandomSampler([4, 2]))
    [2, 4]
    """

    def __init__(self, indices: Sequence[int], generator: object = None) -> None:
        self.indices: Sequence[int] = refuse_unless_sized("SubsetRandomSampler", "indices", indices)
        self.generator: object = generator

    def __iter__(self) -> Iterator[int]:
        for place in shuffled("SubsetRandomSampler", len(self.indices), self.generator):
            yield self.indices[place]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Numbers below the count of some weights, each as likely as its weight says.

    Args:
        weights: One a sample, not negative; they need not add up to one.
        num_samples: How many numbers are drawn.
        replacement: Draw each from all of them; else no number comes twice.
        generator: What is drawn with; by default the engine's own generator.

    Raises:
        TypeError: A weight or a number that is none.
        ValueError: A weight that is negative, infinite or NaN, all zero, or more samples than
            weights without replacement.

    >>> list(gb.utils.data.WeightedRandomSampler([0.0, 1.0], 3))
    [1, 1, 1]
    """

    def __init__(
        self,
        weights: Sequence[float] | Tensor,
        num_samples: int,
        replacement: bool = True,
        generator: object = None,
    ) -> None:
        op = "WeightedRandomSampler"
        if not is_really(weights, Tensor):
            refuse_unless_list(op, "weights", weights, "numbers")
        given = weights.tolist() if is_really(weights, Tensor) else items_of(weights)
        self.weights: list[float] = [check.worth(op, "weights", it) for it in given]
        for weight in self.weights:
            if not 0 <= weight < inf:
                raise ValueError(f"{op}: a weight of {shown(weight)}; 0 or more is needed")
        self.num_samples: int = check.count(op, "num_samples", num_samples, 1)
        self.replacement: bool = check.flag(op, "replacement", replacement)
        able = sum(map(bool, self.weights))
        if not able or (not self.replacement and self.num_samples > able):
            raise ArgumentError(
                f"{op}: {self.num_samples} samples of {able} weights above 0; enough of them, or "
                "replacement=True, are needed"
            )
        self.generator: object = generator

    def __iter__(self) -> Iterator[int]:
        found = picked(
            "WeightedRandomSampler",
            self.weights,
            self.num_samples,
            self.replacement,
            self.generator,
        )
        return iter(found)

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """What another sampler gives, in lists of `batch_size`.

    Args:
        sampler: A sampler, or any iterable of numbers.
        batch_size: How many numbers a list has; 1 or more.
        drop_last: Leave out a last list that is shorter.

    Raises:
        TypeError: An argument of another type.
        ValueError: A batch size below one.

    >>> list(gb.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(sampler, Iterable):
            raise TypeError(
                f"BatchSampler: sampler is of type {type(sampler).__name__}; a Sampler is needed"
            )
        self.sampler: Iterable[int] = sampler
        self.batch_size: int = check.count("BatchSampler", "batch_size", batch_size, 1)
        self.drop_last: bool = check.flag("BatchSampler", "drop_last", drop_last)

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(islice(numbers, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

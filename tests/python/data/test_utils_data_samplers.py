"""Samplers and datasets made of datasets: which samples, in which order."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard.utils import data
from garboard.utils.data import DataLoader

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Count(data.IterableDataset):
    def __init__(self, end: int) -> None:
        self.end = end

    def __iter__(self):
        return iter(range(self.end))


def batches(loader: Any) -> list[Any]:
    return [batch.tolist() for batch in loader]


def test_datasets_are_joined_side_by_side_and_one_after_the_other():
    joined = data.StackDataset([1, 2], [3, 4])
    chain = data.ChainDataset([Count(2), Count(1)])
    both = Count(1) + Count(2)

    assert batches(DataLoader(data.Subset(range(3), [0]) + data.Subset([7, 8], [1]), 2)) == [[0, 8]]
    assert [[part.tolist() for part in it] for it in DataLoader(joined, 2)] == [[[1, 2], [3, 4]]]
    assert batches(DataLoader(chain, 2)) == [[0, 1], [0]]
    assert batches(DataLoader(both, 2, drop_last=True)) == [[0, 0]]


def test_a_stream_comes_in_batches_or_one_by_one():
    assert batches(DataLoader(Count(5), 2)) == [[0, 1], [2, 3], [4]]
    assert batches(DataLoader(Count(5), 2, drop_last=True)) == [[0, 1], [2, 3]]
    assert list(DataLoader(Count(3), batch_size=None)) == [0, 1, 2]
    with pytest.raises(TypeError, match="DataLoader: Count is an IterableDataset without __len__"):
        len(DataLoader(Count(3)))


def test_samplers_say_which_samples_come():
    numbers = list(range(10))

    assert batches(DataLoader(numbers, 2, sampler=[3, 1, 2])) == [[3, 1], [2]]
    assert batches(DataLoader(numbers, batch_sampler=[[5], (1, 2)])) == [[5], [1, 2]]
    assert len(list(data.RandomSampler(numbers, num_samples=25))) == 25
    assert sorted(data.SubsetRandomSampler([4, 2, 9])) == [2, 4, 9]


def test_random_samplers_draw_each_number_as_often_as_they_say():
    gb.manual_seed(0)
    twice = list(data.RandomSampler(range(5), num_samples=10))
    again = list(data.RandomSampler(range(5), replacement=True, num_samples=5000))
    weighted = list(data.WeightedRandomSampler([1.0, 0.0, 3.0], 4000))
    few = list(data.WeightedRandomSampler(gb.tensor([1.0, 0.0, 3.0]), 2, replacement=False))

    assert sorted(twice) == sorted([*range(5), *range(5)])
    assert sorted(twice[:5]) == list(range(5))
    assert all(900 < again.count(number) < 1100 for number in range(5))
    assert weighted.count(1) == 0
    assert 900 < weighted.count(0) < 1100
    assert sorted(few) == [0, 2]


@pytest.mark.parametrize(
    "make",
    [
        lambda: data.RandomSampler(range(20)),
        lambda: data.RandomSampler(range(20), replacement=True),
        lambda: data.SubsetRandomSampler(range(20)),
        lambda: data.WeightedRandomSampler([1.0] * 20, 20),
        lambda: data.WeightedRandomSampler([1.0] * 20, 20, replacement=False),
    ],
)
def test_a_seed_fixes_what_is_drawn(make):
    gb.manual_seed(3)
    first, second = list(make()), list(make())
    gb.manual_seed(3)

    assert list(make()) == first != second


class Lying:
    """Says that it is longer than it is."""

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> int:
        return [10, 11][index]


def test_a_length_that_lies_ends_in_the_datasets_own_error():
    loader = DataLoader(Lying(), 2)

    with gb.leaks.no_leaks(), pytest.raises(IndexError):
        batches(loader)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: data.ConcatDataset([]), ValueError, "ConcatDataset: no datasets; at least one"),
        (
            lambda: data.ConcatDataset([3]),
            TypeError,
            r"datasets\[0\] is of type int; a Dataset, or",
        ),
        (lambda: data.ConcatDataset([Count(1)]), TypeError, "is an IterableDataset; use ChainData"),
        (
            lambda: data.ConcatDataset([[1]])[1],
            gb.IndexOutOfRangeError,
            r"index 1 of 1 samples; one",
        ),
        (lambda: data.StackDataset(), ValueError, "StackDataset: datasets by place or by name"),
        (lambda: data.StackDataset([1], [1, 2]), ValueError, r"of lengths \[1, 2\]; equal ones"),
        (lambda: data.BatchSampler(3, 1, False), TypeError, "BatchSampler: sampler is of type int"),
        (lambda: data.BatchSampler([], 0, False), ValueError, "batch_size 0; 1 or more is needed"),
        (lambda: data.RandomSampler([], num_samples=0), ValueError, "num_samples 0; 1 or more"),
        (lambda: data.RandomSampler([]), ValueError, "num_samples 0; 1 or more"),
        (lambda: DataLoader([], shuffle=True), ValueError, "num_samples 0; 1 or more"),
        (lambda: data.ConcatDataset([]), AssertionError, "no datasets; at least one is needed"),
        (
            lambda: data.TensorDataset(gb.ones(2), gb.ones(3)),
            AssertionError,
            r"tensors of sizes \[\[2\], \[3\]\]",
        ),
        (lambda: data.DistributedSampler([1], 2, 2), ValueError, r"rank 2 of 2 replicas; one in"),
        (lambda: data.RandomSampler(iter([1])), TypeError, "data_source is of type list_iterator"),
        (lambda: data.WeightedRandomSampler([-1.0], 1), ValueError, "a weight of -1.0; 0 or more"),
        (
            lambda: data.WeightedRandomSampler([0.0], 1),
            ValueError,
            "1 samples of 0 weights above 0",
        ),
        (
            lambda: data.WeightedRandomSampler([1.0], 2, False),
            ValueError,
            "2 samples of 1 weights above 0; enough of them, or replacement=True",
        ),
        (lambda: DataLoader([1], sampler=[0], shuffle=True), ValueError, "a sampler and shuffle"),
        (
            lambda: DataLoader([1], batch_sampler=[[0]], batch_size=2),
            ValueError,
            "a batch_sampler b",
        ),
        (lambda: DataLoader([1], sampler=3), TypeError, "sampler is of type int; a Sampler"),
        (lambda: DataLoader(Count(1), shuffle=True), ValueError, "an order for an IterableDataset"),
        (lambda: DataLoader([1], num_workers=-1), ValueError, "num_workers -1; 0 or more"),
        (lambda: DataLoader([1], prefetch_factor=2), ValueError, "prefetch_factor or persistent_w"),
        (lambda: DataLoader([1], timeout=-1), ValueError, "timeout -1; it must not be negative"),
        (lambda: list(data.Sampler()), NotImplementedError, r"Sampler: __iter__\(\) is missing"),
        (lambda: list(data.IterableDataset()), NotImplementedError, r"__iter__\(\) is missing"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_loader_reads_ahead_where_it_has_workers():
    assert DataLoader([1]).prefetch_factor is None
    assert DataLoader([1], num_workers=1).prefetch_factor == 2
    assert DataLoader([1], num_workers=1, prefetch_factor=3).prefetch_factor == 3


@pytest.mark.parametrize("dataset", [range(6), Count(6)], ids=["map", "stream"])
def test_a_loader_reads_no_further_ahead_than_there_is(dataset):
    loader = DataLoader(dataset, batch_size=2, num_workers=2, prefetch_factor=1 << 40)

    assert len(list(loader)) >= 3

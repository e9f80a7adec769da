"""What a batch of samples is, by the types of the samples, and what is read at once."""

from __future__ import annotations

from collections import OrderedDict, UserDict, defaultdict, deque, namedtuple
from collections.abc import Sized
from types import MappingProxyType

import garboard as gb
import numpy as np
import pytest
from garboard.utils import data
from garboard.utils.data._utils import collate as functions

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

Pair = namedtuple("Pair", "a b")


class Own:
    """A type of a program's own."""


class AtOnce(data.Dataset[str]):
    def __getitem__(self, index):
        return f"one {index}"

    def __getitems__(self, indices):
        return [f"of {len(indices)}: {index}" for index in indices]

    def __len__(self):
        return 5


class WithoutLength(data.Dataset[int]):
    def __getitem__(self, index):
        if index >= 3:
            raise IndexError
        return index * 10


@pytest.mark.parametrize(
    "sample",
    [OrderedDict(a=1), defaultdict(list, a=1), UserDict(a=1), MappingProxyType({"a": 1})],
)
def test_a_batch_is_a_mapping_of_its_samples_type(sample):
    batch = data.default_collate([sample, sample])

    assert type(batch) is type(sample)
    assert batch["a"].tolist() == [1, 1]
    assert sample["a"] == 1


@pytest.mark.parametrize(
    ("sample", "kind"), [(range(2), list), (deque([0, 1]), deque), ((0, 1), list), ([0, 1], list)]
)
def test_a_batch_is_a_sequence_of_its_samples_type_where_that_can_be(sample, kind):
    batch = data.default_collate([sample, sample])

    assert type(batch) is kind
    assert [part.tolist() for part in batch] == [[0, 0], [1, 1]]


def test_sequences_of_other_lengths_are_refused_as_a_runtime_error():
    with pytest.raises(RuntimeError, match="sample 1 is no sequence of 1, as the first is"):
        data.default_collate([[1], [1, 2]])


def test_a_sample_by_itself_is_a_list_for_a_tuple():
    (sample,) = data.DataLoader([(1, np.ones(1), "a")], batch_size=None)

    assert sample == [1, gb.ones(1, dtype=gb.float64), "a"]
    assert type(data.default_convert(Pair(1, 2))) is Pair
    assert type(data.default_convert(OrderedDict(a=1))) is OrderedDict
    assert data.default_convert(np.array(["a"])).tolist() == ["a"]


def test_a_program_may_batch_its_own_types():
    count = {Own: lambda batch, *, collate_fn_map: len(batch)}

    found = functions.collate(
        [{"own": Own(), "x": 1}] * 2, collate_fn_map={**count, **functions.default_collate_fn_map}
    )

    assert (found["own"], found["x"].tolist()) == (2, [1, 1])
    with pytest.raises(TypeError, match="a sample of type Own; tensors, numbers"):
        data.default_collate([Own()])


def test_samples_are_read_at_once_where_the_dataset_can():
    dataset = AtOnce()
    subset = data.Subset(dataset, [4, 2, 0])

    assert list(data.DataLoader(dataset, 3)) == [
        ["of 3: 0", "of 3: 1", "of 3: 2"],
        ["of 2: 3", "of 2: 4"],
    ]
    assert list(data.DataLoader(subset, 2)) == [["of 2: 4", "of 2: 2"], ["of 1: 0"]]
    stacked = data.StackDataset(x=dataset, y=range(5))
    assert stacked.__getitems__([1, 0]) == [{"x": "of 2: 1", "y": 1}, {"x": "of 2: 0", "y": 0}]


def test_a_subset_of_ones_own_changes_the_samples_of_a_batch_too():
    class Loud(data.Subset[str]):
        def __getitem__(self, index):
            return super().__getitem__(index).upper()

    assert list(data.DataLoader(Loud(AtOnce(), [1, 0]), 2)) == [["ONE 1", "ONE 0"]]


def test_an_order_spares_the_dataset_a_length():
    dataset = WithoutLength()

    assert [x.tolist() for x in data.DataLoader(dataset, 2, sampler=[2, 0])] == [[20, 0]]
    assert [x.tolist() for x in data.DataLoader(dataset, batch_sampler=[[1]])] == [[10]]
    assert list(dataset) == [0, 10, 20]
    with pytest.raises(TypeError, match="WithoutLength: __len__\\(\\) is missing"):
        list(data.DataLoader(dataset))


def test_a_loader_of_lists_of_numbers_has_an_order_too_which_it_does_not_read():
    loader = data.DataLoader([5, 6], batch_sampler=[[1]])

    assert isinstance(loader.sampler, data.SequentialSampler)
    assert loader.sampler.data_source == [5, 6]
    assert [x.tolist() for x in loader] == [[6]]


def test_a_dataset_has_a_length_where_its_class_says_so_alone():
    class Stream(data.IterableDataset[int]):
        def __iter__(self):
            return iter([1, 2])

    assert not isinstance(WithoutLength(), Sized)
    assert not isinstance(Stream(), Sized)
    assert isinstance(data.TensorDataset(gb.ones(1)), Sized)
    assert data.Subset(WithoutLength(), [2])[0] == 20
    with pytest.raises(TypeError, match=r"ConcatDataset: datasets\[0\] is a WithoutLength, which"):
        data.ConcatDataset([WithoutLength()])
    with pytest.raises(TypeError, match="RandomSampler: data_source is of type WithoutLength"):
        data.DataLoader(WithoutLength(), shuffle=True)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_loop_has_a_length(workers):
    batches = iter(data.DataLoader([1, 2, 3], batch_size=2, num_workers=workers))

    next(batches)

    assert len(batches) == 2


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("count", [1, 5, 6])
def test_processes_share_the_samples_of_an_epoch(count, drop_last):
    samplers = [
        data.DistributedSampler(range(count), 2, rank, drop_last=drop_last) for rank in (0, 1)
    ]
    first = [list(it) for it in samplers]

    again = [list(it) for it in samplers]
    for it in samplers:
        it.set_epoch(3)

    assert first == again
    assert all(len(part) == len(it) for part, it in zip(first, samplers, strict=True))
    dropped = count % 2 if drop_last else 0
    for parts in (first, [list(it) for it in samplers]):
        assert len({*parts[0], *parts[1]}) == count - dropped


def test_what_a_loader_is_made_of_cannot_be_set_later():
    loader = gb.utils.data.DataLoader(range(4), batch_size=2)

    with pytest.raises(ValueError, match="batch_size of a loader"):
        loader.batch_size = 3

    loader.num_workers = 0
    assert [x.tolist() for x in loader] == [[0, 1], [2, 3]]


def test_a_batch_of_nothing_is_an_index_error_too():
    with pytest.raises(IndexError, match="no samples"):
        gb.utils.data.default_collate([])


class _Torn(gb.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, at):
        if at == 3:
            raise ValueError("a torn sample")
        return gb.tensor(at)


def test_a_loop_without_workers_goes_on_behind_a_sample_that_raises():
    batches = iter(gb.utils.data.DataLoader(_Torn(), batch_size=2))
    found = []
    for _ in range(3):
        try:
            found.append(next(batches).tolist())
        except ValueError as error:
            found.append(str(error))

    assert found == [[0, 1], "a torn sample", [4, 5]]
    with pytest.raises(StopIteration):
        next(batches)


def test_a_program_may_ask_where_each_of_several_datasets_ends():
    assert data.ConcatDataset.cumsum([[1, 2], [], [3]]) == [2, 2, 3]
    assert data.ConcatDataset([[1, 2], [3]]).cumulative_sizes == [2, 3]
    with pytest.raises(TypeError):
        data.ConcatDataset.cumsum([3])


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_dataset_is_asked_for_several_at_once_where_the_sampler_gives_lists(num_workers):
    class Rows(data.Dataset):
        def __getitem__(self, numbers):
            return {"rows": gb.tensor(numbers) * 10, "of": len(numbers)}

        def __len__(self):
            return 5

    sampler = data.BatchSampler(range(5), 2, drop_last=False)

    found = list(data.DataLoader(Rows(), batch_size=None, sampler=sampler, num_workers=num_workers))

    assert [it["rows"].tolist() for it in found] == [[0, 10], [20, 30], [40]]
    assert [it["of"] for it in found] == [2, 2, 1]


class Slices(data.Dataset[np.ndarray]):
    """Rows of an array, which it gives a batch of at once."""

    rows = np.arange(6.0).reshape(3, 2)

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self.rows[index]

    def __getitems__(self, indices):
        return self.rows[indices]


def test_a_batch_may_be_an_array():
    batches = [it.tolist() for it in data.DataLoader(Slices(), batch_size=2)]

    assert batches == [[[0, 1], [2, 3]], [[4, 5]]]
    assert data.default_collate(np.arange(3, dtype=np.int8)).dtype == gb.int8
    with pytest.raises(TypeError, match="batch is of type ndarray"):
        data.default_collate(np.array(1.0))

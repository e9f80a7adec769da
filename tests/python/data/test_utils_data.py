"""Datasets and loaders: which samples come in which batch, and what stays alive meanwhile."""

from __future__ import annotations

import inspect
import warnings
from collections import namedtuple
from itertools import chain

import garboard as gb
import numpy as np
import pytest
from garboard.utils.data import (
    DataLoader,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    default_collate,
    random_split,
)

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def numbers(count: int) -> TensorDataset:
    return TensorDataset(gb.arange(count))


class Stream(IterableDataset):
    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self):
        return iter(range(self.count))


def batches(loader: DataLoader) -> list[list[int]]:
    return [x.tolist() for (x,) in loader]


class TestDatasets:
    def test_a_sample_is_the_rows_of_its_number(self):
        dataset = TensorDataset(gb.arange(3), gb.arange(6).reshape(3, 2))

        assert [part.tolist() for part in dataset[1]] == [1, [2, 3]]
        assert len(dataset) == 3

    def test_samples_are_views(self):
        rows = gb.zeros(2, 2)

        TensorDataset(rows)[0][0].fill_(1)

        assert rows.tolist() == [[1.0, 1.0], [0.0, 0.0]]

    def test_tensors_of_unequal_length_are_refused(self):
        with pytest.raises(
            gb.ShapeError, match=r"TensorDataset: tensors of sizes \[\[3\], \[2\]\]"
        ):
            TensorDataset(gb.ones(3), gb.ones(2))
        with pytest.raises(gb.ShapeError, match="equal at dim 0"):
            TensorDataset(gb.tensor(1))
        with pytest.raises(gb.ShapeError):
            TensorDataset()

    def test_a_dataset_without_methods_says_so(self):
        with pytest.raises(NotImplementedError, match="__getitem__"):
            Dataset()[0]
        with pytest.raises(TypeError, match="Dataset: __len__\\(\\) is missing"):
            list(DataLoader(Dataset()))

    @pytest.mark.parametrize("lengths", [[7, 3], [0.65, 0.35]])
    def test_a_split_shares_no_sample_and_loses_none(self, lengths):
        parts = random_split(numbers(10), lengths)

        found = sorted(part[i][0].item() for part in parts for i in range(len(part)))

        assert [len(part) for part in parts] == [7, 3]
        assert found == list(range(10))

    @pytest.mark.parametrize("lengths", [[5, 4], [0.5, 0.4], [11, -1], []])
    def test_lengths_that_do_not_add_up_are_refused(self, lengths):
        with pytest.raises(ValueError, match="random_split: lengths"):
            random_split(numbers(10), lengths)

    def test_a_subset_has_its_own_order(self):
        assert [x.item() for (x,) in Subset(numbers(5), [3, 1])] == [3, 1]


class TestLoader:
    def test_the_last_batch_is_smaller_or_left_out(self):
        whole, even = DataLoader(numbers(5), 2), DataLoader(numbers(5), 2, drop_last=True)

        assert batches(whole) == [[0, 1], [2, 3], [4]]
        assert batches(even) == [[0, 1], [2, 3]]
        assert (len(whole), len(even)) == (3, 2)

    def test_a_seed_fixes_the_order_and_every_loop_has_its_own(self):
        loader = DataLoader(numbers(50), 10, shuffle=True)
        gb.manual_seed(3)
        first, second = batches(loader), batches(loader)
        gb.manual_seed(3)

        assert batches(loader) == first != second
        assert sorted(chain(*first)) == sorted(chain(*second)) == list(range(50))

    def test_without_a_batch_size_samples_come_one_by_one(self):
        assert [x.item() for (x,) in DataLoader(numbers(3), batch_size=None)] == [0, 1, 2]

    def test_any_sequence_is_a_dataset(self):
        assert [x.tolist() for x in DataLoader([1.0, 2.0, 3.0], 2)] == [[1.0, 2.0], [3.0]]

    def test_a_collate_fn_makes_the_batch(self):
        assert list(DataLoader([1, 2, 3], 2, collate_fn=sum)) == [3, 3]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"batch_size": 0}, "batch_size 0"),
            ({"batch_size": None, "drop_last": True}, "drop_last"),
        ],
    )
    def test_bad_options_are_refused(self, options, message):
        with pytest.raises(ValueError, match=f"DataLoader: {message}"):
            DataLoader(numbers(3), **options)

    @pytest.mark.parametrize("shuffle", [False, True])
    def test_a_batch_alone_is_alive_while_the_loop_has_it(self, shuffle):
        loader = DataLoader(TensorDataset(gb.ones(6, 3), gb.arange(6)), 2, shuffle)
        before = gb.memory.live()

        for x, y in loader:
            assert gb.memory.live() - before == gb.memory.LiveCounts(2, 2, 0, x.nbytes + y.nbytes)
            del x, y
            assert gb.memory.live() == before

    def test_a_batch_belongs_to_the_scope_around_the_loop(self):
        loader = DataLoader(numbers(4), 2, shuffle=True)

        with gb.dispose_scope("epoch") as epoch:
            for (x,) in loader:
                assert x in epoch
                assert len(epoch) == 1
                with gb.dispose_scope("step") as step:
                    doubled = x * 2
                    assert doubled in step
            kept = x

        assert kept.is_disposed


class TestCollate:
    def test_each_part_is_collated_by_itself(self):
        batch = default_collate(
            [{"x": gb.ones(2), "y": [1, True]}, {"x": gb.zeros(2), "y": [2, False]}]
        )

        assert batch["x"].tolist() == [[1.0, 1.0], [0.0, 0.0]]
        assert [part.tolist() for part in batch["y"]] == [[1, 2], [True, False]]
        assert batch["y"][1].dtype == gb.bool

    def test_a_named_tuple_keeps_its_names(self):
        Pair = namedtuple("Pair", "x y")

        batch = default_collate([Pair(1, 2.0), Pair(3, 4.0)])

        assert batch.x.tolist() == [1, 3]
        assert batch.y.tolist() == [2.0, 4.0]

    def test_a_batch_of_tuples_is_a_list(self):
        batch = default_collate([(1, ("a", 2.0)), (3, ("b", 4.0))])

        assert type(batch) is list
        assert type(batch[1]) is list
        assert batch[1][0] == ("a", "b")
        assert default_collate([{"name": "a"}, {"name": "b"}]) == {"name": ["a", "b"]}

    def test_arrays_become_tensors(self):
        batch = default_collate([np.ones(2), np.zeros(2)])

        assert batch.tolist() == [[1.0, 1.0], [0.0, 0.0]]
        assert batch.dtype == gb.float64

    def test_what_cannot_be_batched_is_refused(self):
        with pytest.raises(TypeError, match="a sample of type object"):
            default_collate([object(), object()])
        assert default_collate(["a", "b"]) == ["a", "b"]

    def test_tensors_of_different_sizes_are_refused(self):
        with pytest.raises(gb.ShapeError, match="stack"):
            default_collate([gb.ones(2), gb.ones(3)])


def test_a_loader_is_made_anew_of_its_attributes():
    loader = DataLoader(range(4), batch_size=3, pin_memory_device="cuda", in_order=False)
    settled = ("self", "batch_size", "shuffle", "sampler", "drop_last")
    names = [it for it in inspect.signature(DataLoader.__init__).parameters if it not in settled]

    again = DataLoader(**{name: getattr(loader, name) for name in names})

    assert [batch.tolist() for batch in again] == [[0, 1, 2], [3]]
    assert (again.pin_memory_device, again.in_order) == ("cuda", False)
    with pytest.raises(TypeError, match="DataLoader: in_order is of type str; True or False"):
        DataLoader(range(4), in_order="no")


class TestWhatGoesTogether:
    def test_processes_are_for_workers(self):
        for kind, workers, error in (("spawn", 0, ValueError), ("bad", 1, ValueError)):
            with pytest.raises(error, match="multiprocessing_context"):
                DataLoader([1], num_workers=workers, multiprocessing_context=kind)
        with pytest.raises(TypeError, match="multiprocessing_context is of type int"):
            DataLoader([1], num_workers=1, multiprocessing_context=3)

    def test_a_stream_longer_than_it_says_warns_once_somebody_asked(self):
        class Long(Stream):
            def __len__(self):
                return 2

        loader = DataLoader(Long(3))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert sum(1 for _ in loader) == 3  # list() would ask for the length
        assert len(loader) == 2

        with pytest.warns(UserWarning, match="batch 3 of an IterableDataset whose length says 2"):
            assert len(list(loader)) == 3

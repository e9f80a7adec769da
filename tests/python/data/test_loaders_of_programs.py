"""Passes over loaders that are a program's own, with the private attributes of PyTorch's."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard.utils.data import DataLoader, TensorDataset, dataloader

pytestmark = pytest.mark.no_leaks


class OwnLoader:
    """As fastai's: batches come from its `__iter__`."""

    _auto_collation, drop_last, batch_size = False, False, None
    _dataset_kind = dataloader._DatasetKind.Iterable
    num_workers, pin_memory, timeout, worker_init_fn = 0, False, 0, None
    _index_sampler: Any = None
    generator = multiprocessing_context = prefetch_factor = None
    seen: Any = None

    def __init__(self, dataset: Any = None, **own: Any) -> None:
        self.dataset = self if dataset is None else dataset
        self.collate_fn = lambda batch: batch
        vars(self).update(own)

    def __iter__(self) -> Any:
        return iter([gb.ones(1), gb.ones(2)])


def begun(loader: Any) -> list[Any]:
    return list(dataloader._SingleProcessDataLoaderIter(loader))


def test_one_that_gives_batches_itself_is_read_one_after_the_other():
    assert [batch.tolist() for batch in begun(OwnLoader())] == [[1], [1, 1]]


def test_a_worker_finds_the_loader_behind_its_dataset():
    found = []

    def start(number: int) -> None:
        found.append(gb.utils.data.get_worker_info().dataset.num_workers)

    batches = begun(OwnLoader(num_workers=1, worker_init_fn=start))

    assert [batch.tolist() for batch in batches] == [[1], [1, 1]]
    assert found == [1]


def test_batches_of_a_stream_are_collated():
    loader = OwnLoader(range(5), _auto_collation=True, batch_size=2, drop_last=True)

    assert begun(loader) == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("has_batches", "order", "wanted"),
    [(True, [[0, 1], [2]], [[1, 2], [3]]), (False, [2, 0], [3, 1])],
)
def test_samples_by_number_come_in_the_order_of_the_index_sampler(has_batches, order, wanted):
    kind = dataloader._DatasetKind.Map
    own = {"_dataset_kind": kind, "_auto_collation": has_batches, "_index_sampler": order}

    assert begun(OwnLoader([1, 2, 3], **own)) == wanted


def test_a_loader_is_begun_as_by_iter():
    loader = DataLoader(TensorDataset(gb.arange(3)), batch_size=2)

    (first,), (second,) = begun(loader)

    assert (first.tolist(), second.tolist()) == ([0, 1], [2])
    assert len(dataloader._BaseDataLoaderIter(loader)) == 2


def test_a_loader_is_made_anew_with_what_its_dict_says():
    loader = gb.utils.data.DataLoader(range(6), batch_size=2, shuffle=True)
    sizes = "batch_size", "sampler", "drop_last"
    given = {
        name: value
        for name, value in vars(loader).items()
        if not name.startswith("_") and name not in sizes
    }

    again = gb.utils.data.DataLoader(**given)

    assert sorted(it for batch in again for it in batch.tolist()) == list(range(6))
    assert loader.shuffle
    assert not again.shuffle
    with pytest.raises(AttributeError):
        loader.shuffle = False
    with pytest.raises(ValueError, match="multiprocessing_context without workers"):
        loader.multiprocessing_context = "spawn"


def test_pipes_are_datasets_and_none_shuffles():
    from garboard.utils.data.datapipes.iter.combinatorics import ShufflerIterDataPipe
    from garboard.utils.data.graph_settings import apply_shuffle_settings

    class Squares(gb.utils.data.IterDataPipe):
        def __iter__(self):
            return iter([0, 1, 4])

    pipe = Squares()

    assert [it.tolist() for it in gb.utils.data.DataLoader(pipe, batch_size=2)] == [[0, 1], [4]]
    assert not isinstance(pipe, ShufflerIterDataPipe)
    assert apply_shuffle_settings(pipe, shuffle=True) is pipe
    with pytest.raises(NotImplementedError, match=r"give a Dataset to DataLoader\(shuffle=True\)"):
        ShufflerIterDataPipe(pipe)


def test_a_loader_keeps_no_loop():
    assert gb.utils.data.DataLoader([1, 2])._iterator is None


@pytest.mark.parametrize("num_workers", [0, 1])
def test_a_loader_may_ask_a_dataset_for_batches_by_the_names_that_torchtuples_overrides(
    num_workers,
):
    class Whole(DataLoader):
        @property
        def _auto_collation(self):
            return False if hasattr(self, "_begun") else super()._auto_collation

        @property
        def _index_sampler(self):
            return self.batch_sampler if super()._auto_collation else self.sampler

        def __iter__(self):
            self._begun = True
            self.collate_fn = lambda batch: batch
            return super().__iter__()

    class Rows:
        def __len__(self):
            return 5

        def __getitem__(self, places):
            return gb.arange(5)[places]

    batches = list(Whole(Rows(), batch_size=2, num_workers=num_workers))

    assert [it.tolist() for it in batches] == [[0, 1], [2, 3], [4]]

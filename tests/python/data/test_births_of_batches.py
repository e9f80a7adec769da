"""Where a batch was born, whoever has read it: at the line of the loop, in the loop's step."""

from __future__ import annotations

from typing import Any, NamedTuple

import garboard as gb
import numpy as np
import pytest
from garboard.leaks import LeakReport, MemoryLeakWarning
from garboard.overrides import TorchFunctionMode
from garboard.utils import data
from garboard.utils.data import DataLoader

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Pair(NamedTuple):
    x: Any
    y: Any


class Rows(data.Dataset):
    def __len__(self) -> int:
        return 480

    def __getitem__(self, index: int) -> Pair:
        return Pair(np.full(3, index), {"i": index, "parts": [float(index), (index, "name")]})


def report_of(kept: list[Any], workers: int) -> LeakReport:
    with gb.leaks.watch() as watch:
        for batch in DataLoader(Rows(), batch_size=4, num_workers=workers):
            kept.append(batch.x)
            watch.step()
    return watch.report()


def site_of(tensor: gb.Tensor) -> str:
    return gb.leaks.who_holds(tensor).tensor.rpartition("born at ")[2]


def test_a_kept_batch_is_the_same_leak_with_and_without_workers():
    with pytest.warns(MemoryLeakWarning, match="tensor-list"):
        reports = [report_of([], workers) for workers in (0, 2)]

    (alone,), (read_ahead,) = (report.leaks for report in reports)
    assert read_ahead.verdict == alone.verdict == "LEAK"
    assert read_ahead.site == alone.site
    assert read_ahead.site.function == "report_of"
    assert read_ahead.fingerprint == alone.fingerprint


def test_all_memory_of_a_batch_is_booked_to_the_line_of_the_loop():
    gb.memory.reset_peak_memory_stats()

    for batch in DataLoader(Rows(), 160, num_workers=1):
        born = [site_of(it) for it in (batch.x, batch.y["i"], batch.y["parts"][0])]
        at_the_peak = [str(row.site) for row in gb.memory.peak().by_site]

        assert len(set(born)) == 1
        assert born[0].endswith(" test_all_memory_of_a_batch_is_booked_to_the_line_of_the_loop()")
        assert born[0] in at_the_peak
        assert not any("Thread" in site for site in at_the_peak)


def test_what_the_dataset_makes_was_born_at_its_line():
    class Made(data.Dataset):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> gb.Tensor:
            return gb.zeros(2)

    for batch in DataLoader(Made(), None, num_workers=1):
        assert site_of(batch).endswith("Made.__getitem__()")


def test_nests_come_as_they_were_put_together():
    alone, read_ahead = (list(DataLoader(Rows(), 160, num_workers=n)) for n in (0, 2))

    assert str(alone) == str(read_ahead)
    assert [type(it) for it in read_ahead] == [Pair] * 3


def test_a_tensor_that_is_twice_in_a_batch_comes_as_one():
    def twice(samples: Any) -> Any:
        x = data.default_collate([it.x for it in samples])
        return {"a": x, "b": (x, x)}

    for batch in DataLoader(Rows(), 160, num_workers=1, collate_fn=twice):
        assert batch["a"] is batch["b"][0] is batch["b"][1]


def test_a_list_of_the_datasets_own_is_handed_on_however_it_leads_back():
    own: list[Any] = [gb.zeros(2)]
    own.append(own)

    class Own(data.Dataset):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return own

    loader = DataLoader(Own(), None, num_workers=1, collate_fn=lambda it: it)

    assert all(it is own for it in loader)
    own.clear()


def test_modes_hear_of_no_more_calls_than_the_draw_of_the_seed():
    class Hears(TorchFunctionMode):
        def __torch_function__(self, function, kinds, args=(), kwargs=None):
            called.append(function.__name__)
            return function(*args, **(kwargs or {}))

    called: list[str] = []
    with Hears():
        list(DataLoader(Rows(), 160, num_workers=1))
    read_ahead = called[:]
    called.clear()
    with Hears():
        iter(DataLoader(Rows(), 160))

    assert read_ahead == called


def test_an_error_of_a_worker_shows_the_loops_line():
    class Fails(data.Dataset):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            raise ValueError("no such row")

    with pytest.raises(ValueError, match="no such row") as caught:
        list(DataLoader(Fails(), num_workers=1))

    names = [entry.name for entry in caught.traceback]
    assert names.count("test_an_error_of_a_worker_shows_the_loops_line") == 2

"""Loaders with workers, threads and processes: order, errors, deaths, what they leave behind."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
import time
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.utils import data
from garboard.utils.data import DataLoader, get_worker_info

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

# Forked processes start at once; they compute nothing that needs threads of the engine.
KINDS = [None, "fork"]


class Rows(data.Dataset):
    """Rows of numbers, and what happens at one of them."""

    def __init__(self, count: int = 10, at: int = -1, what: Any = None) -> None:
        self.count, self.at, self.what = count, at, what

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        if index == self.at:
            self.what()
        return gb.full((3,), float(index)), np.arange(2) + index, {"i": index}


class Stream(data.IterableDataset):
    def __init__(self, end: int) -> None:
        self.end = end

    def __iter__(self):
        info = get_worker_info()
        return iter(range(info.id, self.end, info.num_workers))


def found(loader: DataLoader) -> list[Any]:
    return [(x.tolist(), y.tolist(), z["i"].tolist()) for x, y, z in loader]


def names_of_threads() -> list[str]:
    return [it.name for it in threading.enumerate() if it.name.startswith("DataLoader")]


@pytest.fixture(autouse=True)
def no_worker_is_left():
    yield
    gc.collect()
    assert names_of_threads() == []
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("kind", KINDS)
class TestWorkers:
    def test_give_the_batches_that_one_reader_gives(self, kind):
        options: dict[str, Any] = {"batch_size": 3, "shuffle": True}
        gb.manual_seed(4)
        expected = found(DataLoader(Rows(), **options))
        gb.manual_seed(4)

        loader = DataLoader(Rows(), num_workers=2, multiprocessing_context=kind, **options)
        values = found(loader)

        assert sorted(i for _, _, numbers in values for i in numbers) == list(range(10))
        assert values == expected
        gb.manual_seed(7)
        first = found(loader)
        gb.manual_seed(7)
        assert found(loader) == first

    def test_share_a_stream_in_turns(self, kind):
        loader = DataLoader(Stream(7), 2, num_workers=3, multiprocessing_context=kind)

        assert [it.tolist() for it in loader] == [[0, 3], [1, 4], [2, 5], [6]]
        assert [it.tolist() for it in loader] == [[0, 3], [1, 4], [2, 5], [6]]

    def test_raise_their_errors_where_the_batch_would_come(self, kind):
        def fail() -> None:
            raise KeyError("a broken row")

        loader = DataLoader(Rows(8, 5, fail), 2, num_workers=2, multiprocessing_context=kind)
        batches = iter(loader)
        assert [next(batches)[0][0, 0].item() for _ in range(2)] == [0.0, 2.0]

        with pytest.raises(KeyError, match="a broken row") as caught:
            next(batches)

        error = caught.value
        told = str(error.__cause__) if kind else "".join(map(str, caught.traceback))
        assert "fail" in told

    @pytest.mark.parametrize("stays", [False, True])
    def test_read_on_behind_an_error(self, kind, stays):
        def fail() -> None:
            raise KeyError("a broken row")

        rows = Rows(8, 3, fail)
        loader = DataLoader(
            rows, 2, num_workers=2, multiprocessing_context=kind, persistent_workers=stays
        )
        for _ in range(2):
            batches, firsts = iter(loader), []
            for _ in range(4):
                try:
                    firsts.append(next(batches)[0][0, 0].item())
                except KeyError:
                    firsts.append(None)

            assert firsts == [0.0, None, 4.0, 6.0]
            assert next(batches, None) is None

    def test_end_with_a_loop_whose_error_is_kept(self, kind):
        def fail() -> None:
            raise KeyError("a broken row")

        kept = []
        try:
            for _ in DataLoader(Rows(8, 3, fail), 2, num_workers=2, multiprocessing_context=kind):
                pass
        except KeyError as error:
            kept.append(error)

        assert names_of_threads() == []
        assert multiprocessing.active_children() == []
        assert kept

    def test_may_be_left_in_the_middle(self, kind):
        before = gb.memory.live()
        for _ in range(3):
            for x, _, _ in DataLoader(Rows(), 1, num_workers=2, multiprocessing_context=kind):
                assert x.shape == (1, 3)
                break
        del x, _

        gc.collect()
        assert gb.memory.live() == before

    def test_give_batches_to_the_scope_around_the_loop(self, kind):
        loader = DataLoader(Rows(6), 2, num_workers=2, multiprocessing_context=kind)

        with gb.dispose_scope() as scope:
            for x, y, z in loader:
                assert x in scope
                assert y in scope
                assert len(scope) == 3
                del y, z

        assert x.is_disposed

    def test_stay_for_the_next_loop_where_asked(self, kind):
        said = []
        loader = DataLoader(
            Rows(4),
            2,
            num_workers=2,
            multiprocessing_context=kind,
            persistent_workers=True,
            worker_init_fn=said.append,
        )

        first = found(loader)
        for _ in loader:
            break
        again = found(loader)

        assert first == again
        assert kind or sorted(said) == [0, 1]
        del loader, _

    def test_begin_with_the_loop_so_that_a_seed_set_afterwards_changes_no_order(self, kind):
        loader = DataLoader(Rows(), 3, True, num_workers=2, multiprocessing_context=kind)
        gb.manual_seed(3)
        expected = found(loader)

        gb.manual_seed(3)
        loop = iter(loader)
        gb.manual_seed(4)

        assert found(loop) == expected

    def test_of_a_loop_that_is_begun_and_dropped_end(self, kind):
        loop = iter(DataLoader(Rows(), 2, num_workers=2, multiprocessing_context=kind))
        assert kind or len(names_of_threads()) == 2

        del loop

        assert names_of_threads() == []
        assert multiprocessing.active_children() == []

    def test_that_cannot_start_say_why(self, kind):
        def fail(worker: int) -> None:
            raise OSError("no such disk")

        loader = DataLoader(
            Rows(4), num_workers=2, multiprocessing_context=kind, worker_init_fn=fail
        )

        with pytest.raises(OSError, match="no such disk"):
            next(iter(loader))

    def test_draw_by_seeds_of_their_own(self, kind):
        class Draws(data.Dataset):
            def __len__(self) -> int:
                return 8

            def __getitem__(self, index: int) -> tuple[gb.Tensor, int]:
                return gb.rand(1, dtype=gb.float64), gb.initial_seed() - get_worker_info().seed

        loader = DataLoader(Draws(), num_workers=2, multiprocessing_context=kind)
        gb.manual_seed(1)
        first = [(x.item(), difference.item()) for x, difference in loader]
        next_drawn = gb.rand(1).item()
        gb.manual_seed(1)

        assert [(x.item(), difference.item()) for x, difference in loader] == first
        assert gb.rand(1).item() == next_drawn
        assert len(dict(first)) == 8
        assert {difference for _, difference in first} == {0}
        assert {x.item() for x, _ in loader}.isdisjoint(dict(first))

    def test_that_seed_what_they_draw_from_seed_nobody_else(self, kind):
        gb.manual_seed(1)
        loader = DataLoader(
            Rows(4), num_workers=2, multiprocessing_context=kind, worker_init_fn=gb.manual_seed
        )
        found(loader)

        assert gb.initial_seed() == 1

    @pytest.mark.parametrize("wrapped", [False, True])
    def test_set_what_is_theirs_in_the_dataset(self, kind, wrapped):
        class Range(data.IterableDataset):
            def __init__(self) -> None:
                self.first, self.end = 0, 4

            def __iter__(self):
                return iter(range(self.first, self.end))

        def take_a_share(worker: int) -> None:
            dataset = get_worker_info().dataset
            dataset = dataset.datasets[0] if wrapped else dataset
            dataset.first, dataset.end = 2 * worker, 2 * worker + 2

        dataset = Range()
        loader = DataLoader(
            data.ChainDataset([dataset]) if wrapped else dataset,
            2,
            num_workers=2,
            multiprocessing_context=kind,
            worker_init_fn=take_a_share,
        )

        assert [it.tolist() for it in loader] == [[0, 1], [2, 3]]
        assert (dataset.first, dataset.end) == (0, 4)

    def test_read_all_of_a_stream_that_is_its_own_iterator_each(self, kind):
        class Countdown(data.IterableDataset):
            def __iter__(self):
                self.left = 3
                return self

            def __next__(self) -> int:
                if not self.left:
                    raise StopIteration
                self.left -= 1
                return self.left

        loader = DataLoader(Countdown(), 3, num_workers=2, multiprocessing_context=kind)

        assert [it.tolist() for it in loader] == [[2, 1, 0], [2, 1, 0]]
        assert [it.tolist() for it in DataLoader(Countdown(), 2)] == [[2, 1], [0]]
        assert list(DataLoader(Countdown(), None)) == [2, 1, 0]

    def test_know_who_they_are(self, kind):
        class Who(data.Dataset):
            def __len__(self) -> int:
                return 4

            def __getitem__(self, index: int) -> tuple[int, int]:
                info = get_worker_info()
                return info.id, info.num_workers

        loader = DataLoader(Who(), num_workers=2, multiprocessing_context=kind)

        assert [[p.item() for p in it] for it in loader] == [[0, 2], [1, 2], [0, 2], [1, 2]]
        assert get_worker_info() is None


class TestThreads:
    def test_that_take_too_long_are_given_up(self):
        gate = threading.Event()
        loader = DataLoader(Rows(4, 1, gate.wait), 2, num_workers=1, timeout=0.05)

        with pytest.raises(RuntimeError, match=r"DataLoader: no batch in 0.05 s, the timeout"):
            next(iter(loader))

        gate.set()
        while names_of_threads():
            time.sleep(0.001)

    def test_do_not_adopt_what_the_dataset_keeps(self):
        class Kept(data.Dataset):
            def __init__(self) -> None:
                self.kept = [gb.ones(2), gb.zeros(2)]

            def __len__(self) -> int:
                return 2

            def __getitem__(self, index: int) -> gb.Tensor:
                return self.kept[index]

        dataset = Kept()

        with gb.dispose_scope():
            for _ in DataLoader(dataset, None, num_workers=2):
                pass

        assert [it.tolist() for it in dataset.kept] == [[1.0, 1.0], [0.0, 0.0]]

    def test_pass_on_an_exit(self):
        def leave() -> None:
            raise SystemExit(3)

        with pytest.raises(SystemExit):
            found(DataLoader(Rows(4, 1, leave), num_workers=1))


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class TestProcesses:
    def test_that_die_end_the_loop(self):
        loader = DataLoader(Rows(8, 2, kill), num_workers=2, multiprocessing_context="fork")

        with pytest.raises(RuntimeError, match=r"worker 0, process \d+, died with exit code -9"):
            found(loader)

    def test_may_be_spawned_with_a_copy_of_the_dataset(self):
        dataset = data.TensorDataset(gb.arange(3), gb.eye(3))
        loader = DataLoader(dataset, 3, num_workers=1, multiprocessing_context="spawn")

        [[x, y]] = list(loader)

        assert x.tolist() == [0, 1, 2]
        assert gb.equal(y, gb.eye(3))

    @pytest.mark.parametrize(
        ("kind", "error", "message"),
        [
            ("threads", ValueError, "multiprocessing_context 'threads'; 'fork', 'forkserver' or"),
            (3, TypeError, "multiprocessing_context is of type int; the name of a start method"),
        ],
    )
    def test_start_as_the_context_says(self, kind, error, message):
        with pytest.raises(error, match=message):
            next(iter(DataLoader([1], num_workers=1, multiprocessing_context=kind)))


@pytest.mark.parametrize("workers", [0, 2])
def test_orders_are_drawn_whatever_the_default_device_is(workers):
    dataset = data.TensorDataset(gb.arange(6))
    with gb.device("meta"):
        loader = DataLoader(dataset, 3, shuffle=True, num_workers=workers)
        found = sorted(i for (x,) in loader for i in x.tolist())

    assert found == [*range(6)]


class _Numbered(gb.utils.data.Dataset):
    worker = None

    def __len__(self):
        return 4

    def __getitem__(self, at):
        return self.worker

    def begin(self, worker):
        self.worker = worker


def test_a_method_of_the_dataset_begins_a_worker_with_its_copy():
    dataset = _Numbered()

    loader = gb.utils.data.DataLoader(dataset, num_workers=2, worker_init_fn=dataset.begin)

    assert [batch.item() for batch in loader] == [0, 1, 0, 1]
    assert dataset.worker is None

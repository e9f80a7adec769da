"""`dispose_scope(limit=...)`: a budget for what is born inside, exact to the byte."""

from __future__ import annotations

import re
import sys

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

MIB = 1 << 20


def mebibytes(count: int) -> gb.Tensor:
    return gb.empty(count * MIB, dtype=gb.uint8)


def line_here() -> int:
    return sys._getframe(1).f_lineno


class TestABudget:
    @pytest.mark.parametrize("limit", [2 * MIB, "2 MiB", "2MiB", "2097152"])
    def test_is_given_in_bytes_or_words(self, limit):
        with gb.dispose_scope(limit=limit):
            x = mebibytes(2)
            with pytest.raises(gb.ScopeLimitError):
                gb.empty(1, dtype=gb.uint8)
            assert x.nbytes == 2 * MIB

    def test_refuses_on_the_line_that_would_cross_it(self):
        with gb.dispose_scope("step", limit="2 MiB"):
            x = mebibytes(1)
            y = x + 1
            with pytest.raises(gb.ScopeLimitError) as caught:
                z, line = y * 2, line_here()  # noqa: F841
            assert caught.traceback[-1].lineno + 1 == line_here() - 1

    def test_is_an_out_of_memory_error(self):
        with gb.dispose_scope(limit=0), pytest.raises(gb.OutOfMemoryError) as caught:
            gb.ones(1)

        assert isinstance(caught.value, MemoryError)
        assert isinstance(caught.value, gb.GarboardError)

    def test_names_its_largest_sites(self):
        with gb.dispose_scope(limit="4 MiB"):
            small = gb.empty(MIB // 2, dtype=gb.uint8)
            large, line = [mebibytes(1) for _ in range(3)], line_here()
            with pytest.raises(gb.ScopeLimitError) as caught:
                mebibytes(1)

        report = caught.value.report.splitlines()
        assert report[0] == (
            "scope limit: 1.0 MiB more on cpu beside 3.5 MiB live; the scope's limit is 4.0 MiB"
        )
        assert re.fullmatch(r"  3\.0 MiB in 3 storages, born at .*:\d+ mebibytes\(\)", report[1])
        assert report[2].startswith(f"  512.0 KiB in 1 storage, born at {__file__}:{line - 1} ")
        assert len(report) == 3
        assert str(caught.value).startswith(caught.value.report)
        assert str(caught.value).endswith("give the scope a larger limit")
        assert len(large) == 3
        assert small.is_disposed

    def test_changes_nothing_when_it_refuses(self):
        x = gb.ones(1000, requires_grad=True)
        with gb.dispose_scope(limit=7000) as scope:
            y = x * 2
            before = gb.memory.live(), gb.memory.memory_allocated(), len(scope), scope.live_bytes
            for op in (lambda: y.exp(), lambda: gb.cat([y, y]), lambda: y.sum().backward()):
                for _ in range(20):
                    with pytest.raises(gb.ScopeLimitError):
                        op()
            del op
            now = gb.memory.live(), gb.memory.memory_allocated(), len(scope), scope.live_bytes
            assert now[1:] == before[1:]
            assert now[0].bytes == before[0].bytes

        assert x.grad is None

    def test_is_free_again_when_something_goes(self):
        with gb.dispose_scope(limit=MIB):
            for _ in range(5):
                x = mebibytes(1)
                with pytest.raises(gb.ScopeLimitError):
                    mebibytes(1)
                x.dispose()

    def test_counts_what_was_moved_out_until_the_scope_closes(self):
        with gb.dispose_scope():
            with gb.dispose_scope(limit=MIB) as budget:
                x = budget.move_to_outer(mebibytes(1))
                with pytest.raises(gb.ScopeLimitError):
                    mebibytes(1)
            y = mebibytes(1)
            assert x.nbytes + y.nbytes == 2 * MIB

    def test_counts_no_view_and_no_alias(self):
        with gb.dispose_scope(limit=MIB):
            x = mebibytes(1)
            views = [x.view(2, -1), x[:10], x.alias(), x.T]
            assert len(views) == 4

    def test_counts_no_memory_that_is_not_ours(self):
        numpy = pytest.importorskip("numpy")
        with gb.dispose_scope(limit=10) as scope:
            x = gb.from_numpy(numpy.zeros(1000))
            assert scope.live_bytes == {"cpu": 0}
            assert x.shape == (1000,)

    def test_counts_nothing_made_on_another_thread(self):
        import threading

        made = []
        with gb.dispose_scope(limit=10) as scope:
            thread = threading.Thread(target=lambda: made.append(mebibytes(1)))
            thread.start()
            thread.join()
            scope.attach(*made)
            assert scope.live_bytes == {"cpu": 0}

    def test_that_is_none_is_none(self):
        with gb.dispose_scope(limit=None):
            assert mebibytes(8).nbytes == 8 * MIB

    def test_binds_in_place_results_too(self):
        with gb.dispose_scope(limit=100):
            x = gb.ones(10)
            x += 1
            with pytest.raises(gb.ScopeLimitError):
                x.add_(gb.ones(20, 10)[0])
            assert x.tolist() == [2.0] * 10


class TestNestedBudgets:
    def test_bind_what_is_made_inside(self):
        with gb.dispose_scope("outer", limit=2 * MIB) as outer, gb.dispose_scope("inner") as inner:
            x = mebibytes(2)
            with pytest.raises(gb.ScopeLimitError, match=r"limit is 2\.0 MiB"):
                mebibytes(1)
            assert inner.live_bytes == outer.live_bytes == {"cpu": x.nbytes}

    def test_of_which_the_inner_is_smaller_names_that(self):
        with gb.dispose_scope(limit=4 * MIB), gb.dispose_scope(limit=MIB):
            with pytest.raises(gb.ScopeLimitError, match=r"limit is 1\.0 MiB"):
                mebibytes(2)
            with pytest.raises(gb.ScopeLimitError, match=r"limit is 1\.0 MiB"):
                mebibytes(8)

    def test_of_which_the_inner_closed_give_the_outer_its_rest(self):
        with gb.dispose_scope(limit=2 * MIB) as outer:
            with gb.dispose_scope(limit=2 * MIB) as inner:
                x = mebibytes(1)
                inner.move_to_outer(x)
            assert outer.live_bytes == {"cpu": MIB}
            with pytest.raises(gb.ScopeLimitError):
                mebibytes(2)
            x.dispose()
            assert mebibytes(2).nbytes == 2 * MIB

    def test_of_which_the_outer_closed_bind_no_more(self):
        outer = gb.dispose_scope(limit=MIB).__enter__()
        with gb.dispose_scope(limit=4 * MIB):
            outer.dispose()
            assert mebibytes(2).nbytes == 2 * MIB
            with pytest.raises(gb.ScopeLimitError, match=r"limit is 4\.0 MiB"):
                mebibytes(8)

    def test_may_be_caught_inside_and_tried_smaller(self):
        def largest() -> int:
            for count in range(8, 0, -1):
                try:
                    return mebibytes(count).nbytes
                except gb.ScopeLimitError:
                    continue
            return 0

        with gb.dispose_scope(limit="3.5 MiB"):
            assert largest() == 3 * MIB


class TestBytesOfAScope:
    def test_are_exact(self):
        with gb.dispose_scope() as scope:
            assert scope.live_bytes == scope.peak_bytes == {"cpu": 0}
            x = gb.zeros(1000)
            y = gb.zeros(3, dtype=gb.uint8)
            assert scope.live_bytes == {"cpu": 4003}
            del x
            assert scope.live_bytes == {"cpu": 3}
            assert scope.peak_bytes == {"cpu": 4003}
            assert y.nbytes == 3

    def test_belong_to_the_scope_of_birth(self):
        with gb.dispose_scope() as outer:
            x = gb.zeros(100)
            with gb.dispose_scope() as inner:
                y = gb.zeros(10)
                inner.attach(x)
                outer.attach(y)
                assert inner.live_bytes == {"cpu": 40}
                assert outer.live_bytes == {"cpu": 440}

    def test_include_the_scopes_inside(self):
        with gb.dispose_scope() as outer:
            for n in (10, 30, 20):
                with gb.dispose_scope() as inner:
                    x = gb.zeros(n)
                    assert inner.live_bytes == outer.live_bytes == {"cpu": 4 * n}
            assert x.is_disposed
            assert outer.live_bytes == {"cpu": 0}
            assert outer.peak_bytes == {"cpu": 120}

    def test_of_a_closed_one_are_those_of_the_close(self):
        with gb.dispose_scope() as scope:
            x = scope.detach(gb.zeros(10))
            gb.zeros(100)

        assert (scope.live_bytes, scope.peak_bytes) == ({"cpu": 40}, {"cpu": 440})
        del x
        assert scope.live_bytes == {"cpu": 40}

    def test_say_what_a_graph_holds(self):
        w = gb.ones(10, requires_grad=True)
        with gb.dispose_scope() as scope:
            loss = scope.detach(w.exp().sum())

        assert scope.live_bytes == {"cpu": 44}, "the sum, and exp's output that its gradient needs"
        assert len(scope) == 0
        loss.dispose()

    def test_of_one_never_opened_are_none(self):
        scope = gb.dispose_scope(limit=10)

        assert scope.live_bytes == scope.peak_bytes == {"cpu": 0}

    def test_count_temporaries_of_an_op_in_the_peak(self):
        with gb.dispose_scope() as scope:
            x = gb.ones(1000)
            y = (x + 1) * 2
            assert scope.live_bytes == {"cpu": 8000}
            assert scope.peak_bytes == {"cpu": 12000}
            assert y.nbytes == 4000

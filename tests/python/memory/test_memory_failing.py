"""Allocations that fail on purpose: the one that was meant, and what ops do when theirs fails."""

from __future__ import annotations

import re
import threading

import garboard as gb
import pytest
from garboard import memory

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestFailAllocation:
    def test_fails_the_one_with_its_number(self):
        with memory.fail_allocation(3) as plan:
            x = gb.ones(3)
            y = x + 1
            assert not plan.has_failed
            with pytest.raises(gb.OutOfMemoryError, match="allocation 3 of a fail_allocation"):
                y * 2
            assert plan.has_failed
            z = y * 2

        assert z.tolist() == [4, 4, 4]
        assert (plan.count, plan.has_failed) == (4, True)

    def test_says_what_was_asked_for(self):
        with memory.fail_allocation(1), pytest.raises(gb.OutOfMemoryError) as caught:
            gb.empty(2048, dtype=gb.uint8)

        assert str(caught.value) == (
            "allocate: 2.0 KiB asked on cpu, allocation 1 of a fail_allocation; catch the error, "
            "or let it pass"
        )
        assert caught.value.report.splitlines()[1] == (
            "failed on purpose: nothing was asked of the device"
        )

    @pytest.mark.parametrize("count", [1, 16, 17, 1_000_000])
    def test_reaches_payloads_of_every_size(self, count):
        with memory.fail_allocation(1), pytest.raises(gb.OutOfMemoryError):
            gb.empty(count)

    def test_counts_no_views_and_nothing_empty(self):
        x = gb.ones(4, 4)
        with memory.fail_allocation(1) as plan:
            parts = [x[0], x.T, x.view(-1), x.detach(), x.alias(), gb.empty(0)]

        assert (plan.count, plan.has_failed) == (0, False)
        assert len(parts) == 6

    def test_only_counts_with_zero(self):
        with memory.fail_allocation(0) as plan:
            gb.ones(3) + gb.ones(3)

        assert (plan.count, plan.has_failed) == (3, False)

    def test_ends_with_its_block(self):
        with memory.fail_allocation(1) as plan:
            pass

        gb.ones(1)
        assert plan.count == 0

    def test_ends_with_its_block_that_raised(self):
        with pytest.raises(KeyError), memory.fail_allocation(1):
            raise KeyError

        assert gb.ones(1).item() == 1

    def test_is_of_its_thread(self):
        made = []
        with memory.fail_allocation(1) as plan:
            thread = threading.Thread(target=lambda: made.append(gb.ones(1)))
            thread.start()
            thread.join()

        assert (plan.count, len(made)) == (0, 1)

    def test_counts_beside_another(self):
        with memory.fail_allocation(2) as outer, memory.fail_allocation(1) as inner:
            with pytest.raises(gb.OutOfMemoryError):
                gb.ones(1)
            with pytest.raises(gb.OutOfMemoryError):
                gb.ones(1)
            gb.ones(1)

        assert (outer.count, inner.count) == (3, 3)

    def test_changes_no_statistics(self):
        before = memory.memory_stats()
        with memory.fail_allocation(1), pytest.raises(gb.OutOfMemoryError):
            gb.empty(10_000)

        assert memory.memory_stats() == before

    def test_comes_before_a_scopes_limit(self):
        with gb.dispose_scope(limit=0), memory.fail_allocation(1):
            with pytest.raises(gb.OutOfMemoryError, match="fail_allocation"):
                gb.ones(1)
            with pytest.raises(gb.ScopeLimitError):
                gb.ones(1)

    @pytest.mark.parametrize(
        ("number", "error", "said"),
        [
            (-1, ValueError, "number -1; it must be 0 or more"),
            (1.5, TypeError, "number is of type float; an integer is needed"),
            (True, TypeError, "of type bool"),
            (None, TypeError, "of type NoneType"),
        ],
    )
    def test_refuses(self, number, error, said):
        with pytest.raises(error, match=re.escape(said)):
            memory.fail_allocation(number)

    def test_is_entered_once(self):
        plan = memory.fail_allocation(1)
        with plan, pytest.raises(gb.GarboardError, match="entered twice"):
            plan.__enter__()


class TestFailEveryAllocation:
    def test_calls_once_for_each(self):
        calls = []

        def run():
            calls.append(1)
            x = gb.ones(3)
            return (x + 1) * 2

        assert memory.fail_every_allocation(run) == 3
        assert len(calls) == 5  # as it is, three failing, and one that shows there are no more

    def test_allows_a_call_that_catches(self):
        def run():
            try:
                return gb.ones(1000)
            except gb.OutOfMemoryError:
                return gb.ones(1)

        assert memory.fail_every_allocation(run) == 1

    def test_lets_other_errors_pass_with_a_note(self):
        def run():
            try:
                gb.ones(1)
            except gb.OutOfMemoryError:
                raise KeyError("lost") from None

        with pytest.raises(KeyError, match="lost") as caught:
            memory.fail_every_allocation(run)

        assert caught.value.__notes__ == ["after allocation 1 was made to fail"]

    def test_lets_errors_of_the_first_call_pass(self):
        def run():
            raise KeyError("at once")

        with pytest.raises(KeyError, match="at once") as caught:
            memory.fail_every_allocation(run)

        assert not hasattr(caught.value, "__notes__")

    def test_names_what_a_failed_call_leaves(self):
        kept = []

        def run():
            x = gb.ones(5)
            kept.append(x)
            x + 1
            kept.clear()

        with pytest.raises(gb.GarboardError, match="1 aliases") as caught:
            memory.fail_every_allocation(run)

        assert "with allocation 2 made to fail" in str(caught.value)

    def test_takes_garbage_for_none(self):
        def run():
            cycle = [gb.ones(2)]
            cycle.append(cycle)
            return gb.ones(3)

        assert memory.fail_every_allocation(run) == 2

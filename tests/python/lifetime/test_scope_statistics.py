"""The statistics of dispose scopes: seven numbers, one rule."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

FIELDS = (
    "created_outside_scope_count",
    "disposed_outside_scope_count",
    "created_in_scope_count",
    "disposed_in_scope_count",
    "attached_to_scope_count",
    "detached_from_scope_count",
    "thread_total_live_count",
)
SHORT = ("created_out", "disposed_out", "created_in", "disposed_in", "attached", "detached", "live")


def read() -> dict[str, int]:
    statistics = gb.dispose_scope_statistics()
    return {s: getattr(statistics, f) for s, f in zip(SHORT, FIELDS, strict=True)}


@contextmanager
def counting(**expected: int) -> Iterator[None]:
    """Expect these counts of the block, and 0 for all the others."""
    gc.collect()
    before = read()
    yield
    after = read()
    counted = {name: after[name] - before[name] for name in SHORT if after[name] != before[name]}
    assert counted == expected


def make() -> gb.Tensor:
    return gb.ones(1)


class TestOutsideScopes:
    def test_creating_counts_outside(self):
        with counting(created_out=2, live=2):
            tensors = [make(), make()]

        assert len(tensors) == 2

    def test_disposing_counts_outside_once(self):
        x = make()

        with counting(disposed_out=1, live=-1):
            x.dispose()
            x.dispose()

    def test_finalizing_counts_as_disposing(self):
        x = make()

        with counting(disposed_out=1, live=-1):
            del x

    def test_finalizing_a_disposed_tensor_counts_nothing_more(self):
        with counting(created_out=1, disposed_out=1):
            x = make()
            x.dispose()
            del x

    def test_every_handle_counts_on_its_own(self):
        x = gb.ones(2, 2)

        with counting(created_out=3, live=3):
            handles = [x.view(4), x[0], x.alias()]

        assert len(handles) == 3

    def test_writing_in_place_creates_nothing(self):
        x = make()

        with counting():
            x += 1
            x.mul_(2)
            gb.add(x, x, out=x)

    def test_reading_counts_nothing(self):
        x = make()

        with counting():
            x.item()
            x.tolist()
            x.numpy()

    def test_what_fails_counts_nothing(self):
        x = make()

        with counting():
            for _ in range(3):
                with pytest.raises(gb.ShapeError):
                    x.view(7)

    def test_a_gradient_is_born_uncounted(self):
        x = gb.ones(1, requires_grad=True)
        loss = x * 2

        with counting():
            loss.backward()
            gradient = x.grad
            assert gradient is not None
            gradient.dispose()
            assert x.grad is not None


class TestInAScope:
    def test_creating_counts_inside(self):
        with gb.dispose_scope(), counting(created_in=2, live=2):
            tensors = [make(), make()]

        assert len(tensors) == 2

    def test_closing_disposes_inside(self):
        with counting(created_in=3, disposed_in=3), gb.dispose_scope():
            tensors = [make() for _ in range(3)]

        assert len(tensors) == 3

    def test_disposing_by_hand_counts_inside(self):
        with gb.dispose_scope():
            x = make()
            with counting(disposed_in=1, live=-1):
                x.dispose()

    def test_finalizing_counts_by_the_scope_of_that_moment(self):
        with gb.dispose_scope() as scope:
            member, detached = make(), scope.detach(make())
            with counting(disposed_in=1, live=-1):
                del member
            with counting(disposed_out=1, live=-1):
                del detached

    def test_disposing_everything_but_some_counts_the_rest(self):
        with gb.dispose_scope() as scope:
            tensors = [make() for _ in range(5)]
            with counting(disposed_in=3, live=-3):
                scope.dispose_everything_but(tensors[0], tensors[4])
            with counting(disposed_in=2, live=-2):
                scope.dispose_everything()

    def test_only_the_innermost_scope_counts(self):
        with gb.dispose_scope():
            with counting(created_in=1, live=1), gb.dispose_scope() as inner:
                x = inner.move_to_outer(make())
            assert not x.is_disposed


class TestDetachingAndAttaching:
    def test_detaching_counts_once(self):
        with gb.dispose_scope() as scope:
            x = make()
            with counting(detached=1):
                scope.detach(x)
                scope.detach(x)
                x.detach_from_dispose_scope()

    def test_detaching_what_is_in_no_scope_counts_nothing(self):
        x = make()
        with gb.dispose_scope() as scope, counting():
            scope.detach(x)
            x.detach_from_dispose_scope()

    def test_detached_tensors_are_disposed_outside(self):
        with gb.dispose_scope() as scope:
            x = scope.detach(make())

        with counting(disposed_out=1, live=-1):
            x.dispose()

    def test_attaching_counts_once(self):
        x = make()
        with gb.dispose_scope() as scope, counting(attached=1):
            scope.attach(x)
            scope.attach(x)

    def test_attached_tensors_are_disposed_inside(self):
        x = make()
        with counting(attached=1, disposed_in=1, live=-1), gb.dispose_scope() as scope:
            scope.attach(x)

    def test_attaching_again_after_detaching_counts_each(self):
        with gb.dispose_scope() as scope:
            x = make()
            with counting(detached=2, attached=2):
                for _ in range(2):
                    scope.detach(x)
                    scope.attach(x)

    def test_attaching_a_disposed_tensor_is_refused_and_counts_nothing(self):
        x = make()
        x.dispose()
        with gb.dispose_scope() as scope, counting(), pytest.raises(gb.DisposedError):
            scope.attach(x)

    def test_attaching_an_uncounted_gradient_keeps_the_sum(self):
        x = gb.ones(1, requires_grad=True)
        x.sum().backward()
        gradient = x.grad

        with gb.dispose_scope() as scope:
            with counting(attached=1):
                scope.attach(gradient)
            with counting(disposed_in=1):
                scope.dispose_everything()


class TestMoving:
    def test_to_the_outer_scope_counts_nothing(self):
        with gb.dispose_scope(), gb.dispose_scope() as inner:
            x, y = make(), make()
            with counting():
                inner.move_to_outer(x)
                y.move_to_outer_dispose_scope()

    def test_to_another_scope_counts_nothing(self):
        with gb.dispose_scope() as outer, gb.dispose_scope() as inner:
            x, y, z = make(), make(), make()
            with counting():
                inner.move_to_other(outer, x)
                y.move_to_other_dispose_scope(outer)
                z.move_to_other_dispose_scope(x)
                inner.attach(x)

    def test_outward_without_an_outer_scope_counts_as_detaching(self):
        with gb.dispose_scope() as scope:
            x, y = make(), make()
            with counting(detached=2):
                scope.move_to_outer(x)
                y.move_to_outer_dispose_scope()

    def test_from_no_scope_into_one_counts_as_attaching(self):
        x, y = make(), make()
        with gb.dispose_scope() as scope, counting(attached=2):
            x.move_to_other_dispose_scope(scope)
            y.move_to_other_dispose_scope(x)

    def test_to_where_a_loose_tensor_is_counts_as_detaching(self):
        loose = make()
        with gb.dispose_scope():
            x = make()
            with counting(detached=1):
                x.move_to_other_dispose_scope(loose)

    def test_what_is_no_member_counts_nothing(self):
        x = make()
        with gb.dispose_scope() as outer, gb.dispose_scope() as inner, counting():
            inner.move_to_outer(x)
            inner.move_to_other(outer, x)

    def test_a_decorated_functions_result_counts_nothing_but_its_birth(self):
        @gb.dispose_scope()
        def step():
            return make() + make()

        with gb.dispose_scope(), counting(created_in=3, disposed_in=2, live=1):
            x = step()

        assert x.is_disposed


class TestTheRule:
    def test_what_is_in_scopes_is_the_sum(self):
        statistics = gb.dispose_scope_statistics()

        def in_scopes() -> int:
            return (
                statistics.created_in_scope_count
                + statistics.attached_to_scope_count
                - statistics.disposed_in_scope_count
                - statistics.detached_from_scope_count
            )

        before, loose = in_scopes(), make()
        with gb.dispose_scope() as outer:
            a, b, c = make(), make(), make()
            with gb.dispose_scope() as inner:
                d = make()
                inner.attach(loose, a)
                inner.move_to_outer(d)
                outer.detach(b)
                c.dispose()
                assert in_scopes() - before == len(outer) + len(inner) == 3
            assert in_scopes() - before == len(outer) == 1

        assert in_scopes() == before
        assert not b.is_disposed

    def test_all_ways_of_making_count_one_each(self):
        x = gb.ones(2, 2)
        array = np.ones(3)
        ways = [
            lambda: gb.zeros(2),
            lambda: gb.tensor([1.0]),
            lambda: gb.from_numpy(array),
            lambda: gb.rand(2),
            lambda: x + 1,
            lambda: x @ x,
            lambda: x.T,
            lambda: x[0, 0],
            lambda: x.sum(),
            lambda: x.to(gb.float64),
            lambda: x.detach(),
            lambda: gb.cat([x, x]),
            lambda: gb.Tensor(x),
            lambda: x.clone(),
        ]

        for way in ways:
            with counting(created_out=1, live=1):
                result = way()
            del result


class TestTheView:
    def test_is_live(self):
        statistics = gb.dispose_scope_statistics()
        before = statistics.created_outside_scope_count
        x = make()

        assert statistics.created_outside_scope_count == before + 1
        assert not x.is_disposed

    def test_prints_torchsharps_line(self):
        scope = gb.dispose_scope()
        with scope:
            statistics = gb.dispose_scope_statistics()
            missing = 348 - statistics.thread_total_live_count
            alive = [scope.detach(make()) for _ in range(missing)]
            early = [make(), make()]
            statistics.reset()

            alive += [scope.detach(make()) for _ in range(200)]
            for x in early:
                x.dispose()

            line = (
                "ThreadTotalLiveCount: 548; CreatedOutsideScopeCount: 0; "
                "DisposedOutsideScopeCount: 0; CreatedInScopeCount: 200; DisposedInScopeCount: 2; "
                "AttachedToScopeCount: 0; DetachedFromScopeCount: 200"
            )
            assert str(statistics) == line
            assert repr(statistics) == f"DisposeScopeStatistics({line})"
            assert str(statistics.tensor_statistics) == line

    def test_starts_over_and_keeps_the_gauge(self):
        statistics = gb.dispose_scope_statistics()
        x = make()
        live = statistics.thread_total_live_count

        statistics.reset()

        assert read() == {name: live if name == "live" else 0 for name in SHORT}
        assert not x.is_disposed

    def test_tells_tensors_from_packed_sequences(self):
        statistics = gb.dispose_scope_statistics()
        tensors, sequences = statistics.tensor_statistics, statistics.packed_sequence_statistics
        before = [getattr(sequences, field) for field in FIELDS]
        with gb.dispose_scope():
            x = make()

        assert [getattr(sequences, field) for field in FIELDS] == before
        for field in FIELDS:
            parts = getattr(tensors, field) + getattr(sequences, field)
            assert getattr(statistics, field) == parts
        assert x.is_disposed

    def test_starts_over_for_one_part_alone(self):
        statistics = gb.dispose_scope_statistics()
        make()
        before = statistics.created_outside_scope_count

        statistics.packed_sequence_statistics.reset()
        assert statistics.created_outside_scope_count == before
        statistics.tensor_statistics.reset()
        assert statistics.created_outside_scope_count == 0

    @pytest.mark.parametrize("field", FIELDS)
    def test_cannot_be_written(self, field):
        with pytest.raises(AttributeError):
            setattr(gb.dispose_scope_statistics(), field, 1)


class TestThreads:
    def test_count_what_they_made_themselves(self):
        seen: list[dict[str, int]] = []

        def work() -> None:
            seen.append(read())
            with gb.dispose_scope():
                x = make()
                seen.append(read())
            assert x.is_disposed

        with counting():
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()

        assert seen[0] == dict.fromkeys(SHORT, 0)
        assert seen[1] == {**seen[0], "created_in": 1, "live": 1}

    def test_count_what_others_end_as_their_makers(self):
        x = make()

        def work() -> None:
            x.dispose()
            assert read() == dict.fromkeys(SHORT, 0)

        with counting(disposed_out=1, live=-1):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()

    def test_count_what_others_scopes_do_as_their_makers(self):
        made: list[gb.Tensor] = []
        views = []

        def work() -> None:
            views.append(gb.dispose_scope_statistics())
            made.extend(make() for _ in range(3))

        with counting(), gb.dispose_scope() as scope:
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            scope.attach(*made)
            scope.detach(made[0])

        theirs = [getattr(views[0], field) for field in FIELDS]
        assert theirs == [3, 0, 0, 2, 3, 1, 1]

    def test_that_ended_can_still_be_read(self):
        views, kept = [], []

        def work(count: int) -> None:
            views.append(gb.dispose_scope_statistics())
            kept.extend(make() for _ in range(count))

        for count in (3, 4):
            thread = threading.Thread(target=work, args=(count,))
            thread.start()
            thread.join()
            kept.clear()

        assert [view.created_outside_scope_count for view in views] == [3, 4]
        assert [view.thread_total_live_count for view in views] == [0, 0]

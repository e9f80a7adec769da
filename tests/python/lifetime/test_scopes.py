"""Dispose scopes: what they end, what they spare, and how it is said."""

from __future__ import annotations

import sys

import garboard as gb
import pytest
from garboard import _engine

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def scope_of(tensor: gb.Tensor) -> gb.DisposeScope | None:
    return _engine._scope_of(tensor)


class TestAScope:
    def test_ends_what_is_made_inside(self):
        with gb.dispose_scope() as scope:
            x = gb.ones(3)
            y = x * 2
            assert len(scope) == 2
            assert x in scope
            assert y in scope

        assert x.is_disposed
        assert y.is_disposed
        assert len(scope) == 0

    def test_gives_the_bytes_back_to_the_byte(self):
        before = gb.memory.live(), gb.memory.memory_allocated()

        with gb.dispose_scope():
            held = [gb.rand(n, 7) for n in range(1, 40)]
            held += [t.T + 1 for t in held]
            held += [t[0] for t in held]

        assert (gb.memory.live(), gb.memory.memory_allocated()) == before
        assert all(t.is_disposed for t in held)

    def test_spares_what_was_made_outside(self):
        x = gb.ones(3)

        with gb.dispose_scope():
            y = x + 1
            x += 1

        assert x.tolist() == [2.0, 2.0, 2.0]
        assert y.is_disposed

    def test_ends_no_tensor_later_than_its_last_reference_does(self):
        before = gb.memory.memory_allocated()

        with gb.dispose_scope() as scope:
            for _ in range(10):
                x = gb.zeros(1000)
            assert len(scope) == 1
            del x
            assert len(scope) == 0
            assert gb.memory.memory_allocated() == before

    def test_spares_bytes_that_a_view_moved_out_still_needs(self):
        with gb.dispose_scope() as scope:
            x = gb.arange(6)
            row = scope.move_to_outer(x.view(2, 3)[1])

        assert x.is_disposed
        assert row.tolist() == [3, 4, 5]

    def test_spares_bytes_that_an_array_still_needs(self):
        with gb.dispose_scope():
            array = gb.arange(4).numpy()

        assert array.tolist() == [0, 1, 2, 3]

    def test_spares_the_gradients_of_what_lives_on(self):
        x = gb.ones(2, requires_grad=True)

        with gb.dispose_scope() as scope:
            (x * 3).sum().backward()
            gradient = x.grad
            assert gradient not in scope

        assert x.grad is gradient
        assert gradient.tolist() == [3.0, 3.0]

    def test_spares_bytes_that_a_graph_still_needs(self):
        x = gb.ones(2, requires_grad=True)
        before = gb.memory.memory_allocated()

        with gb.dispose_scope() as scope:
            y = scope.move_to_outer((x.exp() * 2).sum())

        assert gb.memory.memory_allocated() > before + y.nbytes, "exp's output is graph-held"
        y.backward()
        assert x.grad.tolist() == pytest.approx([2 * 2.718281828] * 2)

    def test_leaves_an_argument_alone_when_a_result_that_is_one_goes(self):
        x = gb.ones(2, 2)

        with gb.dispose_scope():
            results = [x.view(4), x.contiguous(), x.to(gb.float32), x.detach(), x.alias(), +x]

        assert all(r.is_disposed for r in results)
        assert not x.is_disposed

    def test_adopts_nothing_again_that_is_written_in_place(self):
        x = gb.zeros(2)

        with gb.dispose_scope() as scope:
            assert x.add_(1) is x
            x += 1
            assert gb.add(x, 1, out=x) is x
            assert len(scope) == 0

        assert x.tolist() == [3.0, 3.0]

    def test_disposes_once(self):
        scope = gb.dispose_scope()
        with scope:
            x = gb.ones(1)
            scope.dispose()
            assert x.is_disposed
            y = gb.ones(1)
            scope.dispose()

        assert scope.is_disposed
        assert not y.is_disposed

    def test_is_opened_once(self):
        scope = gb.dispose_scope()
        with scope:
            pass

        with pytest.raises(gb.GarboardError, match="opened before"):
            scope.__enter__()

    def test_that_was_never_opened_is_empty_and_says_so(self):
        scope = gb.dispose_scope("later")

        assert (len(scope), scope.disposables, scope.outer) == (0, (), None)
        assert not scope.is_disposed
        assert gb.ones(1) not in scope
        scope.dispose()
        with pytest.raises(gb.GarboardError, match="attach: a scope that was never opened"):
            scope.attach(gb.ones(1))

    def test_tells_name_outer_and_state(self):
        with gb.dispose_scope("outer") as outer, gb.dispose_scope() as inner:
            assert (outer.name, inner.name) == ("outer", None)
            assert inner.outer == outer
            assert outer.outer is None
            assert gb.current_dispose_scope() == inner
            assert inner.is_open
            assert repr(outer) == "DisposeScope(name='outer', open, 0 disposables)"

        assert repr(outer) == "DisposeScope(name='outer', disposed, 0 disposables)"
        assert gb.current_dispose_scope() is None

    def test_is_true_though_empty(self):
        with gb.dispose_scope() as scope:
            assert scope

    def test_snapshots_its_members_oldest_first(self):
        with gb.dispose_scope() as scope:
            tensors = tuple(gb.full((1,), i) for i in range(3))
            snapshot = scope.disposables
            later = gb.ones(1)

            assert isinstance(snapshot, tuple)
            assert all(a is b for a, b in zip(snapshot, tensors, strict=True))
            assert scope.disposables[-1] is later

    @pytest.mark.parametrize("what", [None, 3, "x", [], object()])
    def test_contains_no_stranger(self, what):
        with gb.dispose_scope() as scope:
            assert what not in scope

    @pytest.mark.parametrize(
        ("arguments", "named", "error", "said"),
        [
            ((3,), {}, TypeError, "name is of type int"),
            ((), {"limit": -1}, gb.ShapeError, "limit -1; it must not be negative"),
            ((), {"limit": "much"}, gb.GarboardError, "'much' given; an amount such as '2 GiB'"),
            ((), {"limit": 1.5}, TypeError, "limit is of type float"),
            (("a", 1), {}, TypeError, "argument"),
            ((), {"size": 1}, TypeError, "size"),
        ],
    )
    def test_refuses(self, arguments, named, error, said):
        with pytest.raises(error, match=said):
            gb.dispose_scope(*arguments, **named)


class TestNesting:
    def test_adopts_into_the_innermost(self):
        with gb.dispose_scope() as outer:
            a = gb.ones(1)
            with gb.dispose_scope() as inner:
                b = gb.ones(1)
                assert (len(outer), len(inner)) == (1, 1)
            c = gb.ones(1)

            assert b.is_disposed
            assert [t in outer for t in (a, c)] == [True, True]

    def test_may_close_out_of_order(self):
        outer, inner = gb.dispose_scope("outer"), gb.dispose_scope("inner")
        outer.__enter__()
        a = gb.ones(1)
        inner.__enter__()
        b = gb.ones(1)

        outer.__exit__(None, None, None)
        c = gb.ones(1)
        assert (a.is_disposed, b.is_disposed, c in inner) == (True, False, True)
        assert inner.outer is None

        inner.move_to_outer(b)
        inner.__exit__(None, None, None)
        assert (b.is_disposed, c.is_disposed) == (False, True)
        assert gb.current_dispose_scope() is None

    def test_skips_the_closed_ones_between(self):
        with gb.dispose_scope("first") as first:
            middle = gb.dispose_scope("middle").__enter__()
            with gb.dispose_scope("last") as last:
                x = gb.ones(1)
                middle.dispose()
                assert last.outer == first
                last.move_to_outer(x)
            assert x in first

    def test_goes_a_thousand_deep(self):
        scopes = [gb.dispose_scope().__enter__() for _ in range(1000)]
        x = gb.ones(1)
        for scope in reversed(scopes[1:]):
            scope.move_to_outer(x)
            scope.dispose()

        assert x in scopes[0]
        scopes[0].dispose()
        assert x.is_disposed


class TestMoving:
    def test_returns_what_it_was_given(self):
        with gb.dispose_scope() as outer, gb.dispose_scope() as scope:
            x, y = gb.ones(1), gb.ones(1)
            for move in (scope.detach, scope.attach, scope.move_to_outer):
                assert move(x) is x
                both = move(x, y)
                assert isinstance(both, tuple)
                assert (both[0] is x, both[1] is y) == (True, True)
                assert move() == ()
            assert scope.move_to_other(outer, x) is x
            assert scope.dispose_everything_but(x) is x
            assert outer.detach(x) is x

    def test_outward_outlives_the_scope_and_not_the_next(self):
        with gb.dispose_scope() as outer:
            with gb.dispose_scope() as inner:
                x = inner.move_to_outer(gb.ones(1))
            assert x in outer
            assert not x.is_disposed

        assert x.is_disposed

    def test_outward_without_an_outer_scope_detaches(self):
        with gb.dispose_scope() as scope:
            x = scope.move_to_outer(gb.ones(1))

        assert not x.is_disposed
        assert scope_of(x) is None

    def test_to_another_scope_follows_that_one(self):
        other = gb.dispose_scope().__enter__()
        with gb.dispose_scope() as scope:
            x = scope.move_to_other(other, gb.ones(1))

        assert x in other
        other.dispose()
        assert x.is_disposed

    def test_detaching_outlives_all_scopes(self):
        with gb.dispose_scope(), gb.dispose_scope() as inner:
            x = inner.detach(gb.ones(1))

        assert not x.is_disposed

    def test_attaching_takes_from_nowhere_and_from_elsewhere(self):
        loose = gb.ones(1)
        with gb.dispose_scope() as outer, gb.dispose_scope() as inner:
            member = outer.attach(gb.ones(1))
            inner.attach(loose, member)
            assert (loose in inner, member in inner, len(outer)) == (True, True, 0)

        assert loose.is_disposed
        assert member.is_disposed

    def test_leaves_what_is_no_member_alone(self):
        x = gb.ones(1)
        with gb.dispose_scope() as outer:
            y = gb.ones(1)
            with gb.dispose_scope() as inner:
                inner.move_to_outer(x, y)
                inner.detach(x, y)
                inner.move_to_other(inner, x, y)
                assert (scope_of(x), scope_of(y)) == (None, outer)

    def test_touches_nothing_when_one_argument_is_no_tensor(self):
        with gb.dispose_scope() as scope:
            x = gb.ones(1)
            with pytest.raises(TypeError, match="detach: an argument of type int"):
                scope.detach(x, 3)
            assert x in scope

    def test_into_a_closed_scope_is_refused(self):
        with gb.dispose_scope() as closed:
            pass
        with gb.dispose_scope() as scope:
            x = gb.ones(1)
            with pytest.raises(gb.GarboardError, match="attach: a closed scope"):
                closed.attach(x)
            with pytest.raises(gb.GarboardError, match="move_to_other: a closed scope"):
                scope.move_to_other(closed, x)
            with pytest.raises(TypeError, match="first argument must be the other DisposeScope"):
                scope.move_to_other(x)
            assert x in scope

    def test_by_the_tensors_own_methods(self):
        with gb.dispose_scope() as outer:
            other = gb.ones(1)
            with gb.dispose_scope() as inner:
                a, b, c, d = (gb.ones(1) for _ in range(4))
                assert a.move_to_outer_dispose_scope() is a
                assert b.move_to_other_dispose_scope(outer) is b
                assert c.move_to_other_dispose_scope(other) is c
                assert d.detach_from_dispose_scope() is d
                assert len(inner) == 0
            assert len(outer) == 4
            assert scope_of(d) is None

        assert [t.is_disposed for t in (a, b, c, d)] == [True, True, True, False]

    def test_by_the_tensors_own_methods_from_and_to_no_scope(self):
        x, loose = gb.ones(1), gb.ones(1)
        assert x.move_to_outer_dispose_scope() is x
        assert x.detach_from_dispose_scope() is x
        with gb.dispose_scope() as scope:
            x.move_to_other_dispose_scope(scope)
            assert x in scope
            x.move_to_other_dispose_scope(loose)
            assert x not in scope

        assert not x.is_disposed

    @pytest.mark.parametrize("other", [None, 3, "outer"])
    def test_by_the_tensors_own_method_to_a_stranger_is_refused(self, other):
        with gb.dispose_scope() as scope:
            x = gb.ones(1)
            with pytest.raises(TypeError, match="a PackedSequence or a DisposeScope is needed"):
                x.move_to_other_dispose_scope(other)
            assert x in scope

    @pytest.mark.parametrize("move", ["move_to_outer", "move_to_other", "detach_from"])
    def test_of_a_stranger_by_a_tensors_method_is_refused(self, move):
        method = getattr(gb.Tensor, f"{move}_dispose_scope")
        arguments = (gb.ones(1),) if move == "move_to_other" else ()

        with pytest.raises(TypeError, match="of type int; a Tensor or a PackedSequence is needed"):
            method(3, *arguments)


class TestDisposingEverything:
    def test_leaves_the_scope_open(self):
        with gb.dispose_scope() as scope:
            x = gb.ones(1)
            scope.dispose_everything()
            assert x.is_disposed
            assert scope.is_open
            y = gb.ones(1)
            assert y in scope

    def test_but_some_spares_those(self):
        with gb.dispose_scope() as scope:
            tensors = [gb.full((1,), i) for i in range(5)]
            kept = scope.dispose_everything_but(tensors[3], tensors[1])
            assert [t.is_disposed for t in tensors] == [True, False, True, False, True]
            assert (kept[0] is tensors[3], kept[1] is tensors[1]) == (True, True)
            assert [t.item() for t in scope.disposables] == [1.0, 3.0]

    def test_but_strangers_spares_no_member(self):
        stranger = gb.ones(1)
        with gb.dispose_scope() as scope:
            x = gb.ones(1)
            scope.dispose_everything_but(stranger)
            assert x.is_disposed

        assert not stranger.is_disposed

    def test_but_nothing_is_disposing_everything(self):
        with gb.dispose_scope() as scope:
            x = gb.ones(1)
            assert scope.dispose_everything_but() == ()
            assert x.is_disposed


class TestAnException:
    def test_leaves_through_the_scope_and_still_disposes(self):
        made = []

        def fail():
            with gb.dispose_scope():
                made.append(gb.ones(1000))
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError) as caught:
            fail()

        assert caught.tb is not None
        assert made[0].is_disposed

    def test_keeps_no_bytes_while_its_traceback_lives(self):
        def step():
            with gb.dispose_scope():
                local = gb.zeros(100_000)
                return local.view(3)

        before = gb.memory.memory_allocated()
        with pytest.raises(gb.ShapeError) as caught:
            step()

        frame = caught.tb.tb_next.tb_frame
        assert frame.f_locals["local"].is_disposed
        assert gb.memory.memory_allocated() == before

    def test_survives_what_fails_in_the_end_of_a_hook(self, monkeypatch):
        class Loud:
            def __call__(self, gradient):
                return None

            def __del__(self):
                gb.zeros(1).view(5)

        def fail():
            with gb.dispose_scope():
                y = gb.ones(1, requires_grad=True) * 2
                y.register_hook(Loud())
                z = y.sum()
                del y  # now z's graph alone holds the hook, and closing the scope ends that
                raise KeyError("mine")
            return z

        said = []
        monkeypatch.setattr(sys, "unraisablehook", lambda event: said.append(event.exc_type))

        with pytest.raises(KeyError, match="mine"):
            fail()

        assert said == [gb.ShapeError]

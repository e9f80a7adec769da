"""What nobody disposes: reference counts and Python's collector end it, wherever they run."""

from __future__ import annotations

import gc
import threading
import weakref

import garboard as gb
import pytest
from garboard import _engine

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Handle(gb.Tensor):
    """A tensor with attributes of its own, which it may be part of."""


def left_by(make) -> gb.memory.LiveCounts:
    """Return what `make()` leaves alive that a collection does not find."""
    gc.collect()
    before = gb.memory.live()
    make()
    gc.collect()
    return gb.memory.live() - before


NOTHING = gb.memory.LiveCounts(0, 0, 0, 0)


class TestReferences:
    def test_end_a_tensor_with_the_last_one(self):
        before = gb.memory.live()
        x = gb.zeros(1000)
        y = x

        del x
        assert gb.memory.live() != before
        del y
        assert gb.memory.live() == before

    def test_end_what_an_expression_passes_through(self):
        x = gb.ones(1000)
        before = gb.memory.live()

        y = ((x + 1) * 2 - x).exp().sum()
        del y

        assert gb.memory.live() == before

    def test_end_a_graph_of_any_depth_without_recursion(self):
        x = gb.ones(1, requires_grad=True)
        before = gb.memory.live()
        y = x
        for _ in range(100_000):
            y = y + 1
        assert gb.memory.live().nodes - before.nodes == 100_000

        del y

        assert gb.memory.live() == before

    def test_of_an_untouched_tensor_are_no_business_of_the_collector(self):
        assert not gc.is_tracked(gb.ones(1))


class TestWeakReferences:
    def test_die_with_the_tensor(self):
        x = gb.ones(1)
        reference = weakref.ref(x)
        assert reference() is x

        del x

        assert reference() is None

    def test_survive_disposing(self):
        x = gb.ones(1)
        reference = weakref.ref(x)

        x.dispose()

        assert reference() is x

    def test_call_back_when_the_tensor_can_no_longer_be_found(self):
        found = []
        with gb.dispose_scope() as scope:
            serial = _engine._next_serials()[0]
            x = gb.ones(1)

            def look(_):
                found.append(scope.disposables)
                found.append([row["serial"] for row in _engine._aliases(serial)])

            reference = weakref.ref(x, look)
            del x

        assert reference() is None
        assert found == [(), []]

    def test_call_back_where_tensors_are_made_and_ended(self):
        made = []

        def replace(_):
            with gb.dispose_scope() as scope:
                made.append(scope.move_to_outer(gb.ones(2) * 3))

        with gb.dispose_scope() as scope:
            x = gb.ones(1)
            reference = weakref.ref(x, replace)
            del x
            assert made[0] in scope
            assert len(scope) == 1

        assert reference() is None
        assert made[0].is_disposed

    def test_of_a_gradients_handle_call_back_to_a_new_one(self):
        x = gb.ones(2, requires_grad=True)
        (x * 3).sum().backward()
        gradient, read = x.grad, []
        reference = weakref.ref(gradient, lambda _: read.append(x.grad))

        del gradient

        assert reference() is None
        assert x.grad is read[0]
        assert read[0].tolist() == [3.0, 3.0]

    def test_as_keys_let_go(self):
        values = weakref.WeakKeyDictionary()
        x = gb.ones(1)
        values[x] = "x"

        del x

        assert len(values) == 0

    def test_reach_scopes_too(self):
        scope = gb.dispose_scope()
        reference = weakref.ref(scope)

        del scope

        assert reference() is None


class TestCycles:
    def test_through_a_list_are_collected(self):
        def make():
            cycle = [gb.zeros(100)]
            cycle.append(cycle)

        assert left_by(make) == NOTHING

    def test_through_an_attribute_are_collected(self):
        def make():
            x = Handle([1.0, 2.0])
            x.self = x

        assert left_by(make) == NOTHING

    def test_through_a_hook_that_holds_its_tensor_are_collected(self):
        def make():
            x = gb.ones(3, requires_grad=True)
            x.register_hook(lambda _: x)

        assert left_by(make) == NOTHING

    def test_through_a_hook_of_a_result_are_collected(self):
        def make():
            x = gb.ones(3, requires_grad=True)
            y = x * 2
            y.register_hook(lambda _: (x, y))

        assert left_by(make) == NOTHING

    @pytest.mark.parametrize("aliases", [1, 2, 5])
    def test_through_a_hook_are_collected_however_many_aliases_there_are(self, aliases):
        def make():
            x = gb.ones(3, requires_grad=True)
            held = [x]
            x.register_hook(lambda _: held)
            held.extend(x.alias() for _ in range(aliases - 1))
            views = [x.view(3) for _ in range(aliases)]
            x.register_hook(lambda _: views)

        assert left_by(make) == NOTHING

    def test_through_a_hook_that_holds_the_gradient_are_collected(self):
        def make():
            x = gb.ones(3, requires_grad=True)
            (x * 2).sum().backward()
            gradient = x.grad
            x.register_hook(lambda _: gradient)
            x.register_hook(lambda _: x)

        assert left_by(make) == NOTHING

    def test_through_a_hooks_handle_are_collected(self):
        def make():
            x = Handle([1.0])
            x.requires_grad_()
            x.handle = x.register_hook(lambda _: x.handle)

        assert left_by(make) == NOTHING

    def test_through_hooks_that_only_a_graph_holds_are_collected(self):
        def make():
            x = gb.ones(3, requires_grad=True)
            y = x * 2
            z = y.sum()
            x.register_hook(lambda _: z)
            y.register_hook(lambda _: z)
            del x, y  # from here on z's graph alone holds the hooks

        assert left_by(make) == NOTHING

    def test_through_such_hooks_and_several_graphs_are_collected(self):
        def make():
            x = gb.ones(3, requires_grad=True)
            parts = []
            for _ in range(3):
                y = x * 2
                parts.append((y.sum(), y.exp(), y.view(3, 1)))
                y.register_hook(lambda _, parts=parts: parts)
                del y
            total = parts[0][0] * parts[1][0] + parts[2][0]
            total.register_hook(lambda _: total)
            parts.append(total.alias())

        assert left_by(make) == NOTHING

    def test_through_such_hooks_far_down_a_graph_are_collected(self):
        def make():
            y = gb.ones(1, requires_grad=True) * 2
            held = []
            y.register_hook(lambda _: held)
            for _ in range(30_000):
                y = y + 1
            held.append(y)

        assert left_by(make) == NOTHING

    def test_through_the_hooks_of_a_handle_with_attributes_are_collected(self):
        def make():
            x = gb.ones(1, requires_grad=True)
            y = x * 2
            handle = Handle(y.detach())
            handle.requires_grad_()
            z = handle * y
            y.register_hook(lambda _: handle)
            handle.result = z
            del y

        assert left_by(make) == NOTHING

    def test_through_hooks_of_a_graph_that_others_hold_too_stay(self):
        def make():
            y = gb.ones(1, requires_grad=True) * 2
            z = y.sum()
            y.register_hook(lambda _: calls.append(z))
            return z.grad_fn, z

        calls: list[gb.Tensor] = []
        node, z = make()
        gc.collect()
        z.backward()

        assert len(calls) == 1
        calls.clear()
        del node, z

    def test_through_hooks_of_a_graph_in_living_hands_stay(self):
        def make():
            y = gb.ones(1, requires_grad=True) * 2
            z = y.sum()
            y.register_hook(lambda gradient: calls.append((z, gradient.item())))
            return z, z.alias()

        calls: list[tuple[gb.Tensor, float]] = []
        z, other = make()
        gc.collect()
        del z
        gc.collect()
        assert not gc.is_tracked(other)
        other.backward()

        assert [gradient for _, gradient in calls] == [1.0]
        calls.clear()

    def test_through_hooks_of_a_graph_that_a_finalizer_saves_stay(self):
        saved = []

        class Saviour:
            def __del__(self):
                saved.append(self.result * 1)

        def make():
            y = gb.ones(1, requires_grad=True) * 2
            saviour = Saviour()
            saviour.result = y.sum()
            y.register_hook(lambda _: calls.append(saviour))
            del y

        calls: list[Saviour] = []
        make()
        gc.collect()
        saved[0].backward()

        saved.clear()
        calls.clear()

    def test_through_hooks_of_a_graph_are_collected_after_a_finalizer_added_another(self):
        class Adder:
            def __del__(self):
                self.result.register_hook(lambda gradient: gradient)

        def make():
            y = gb.ones(1, requires_grad=True) * 2
            adder = Adder()
            adder.result = y.sum()
            y.register_hook(lambda _: adder)
            del y

        before = gb.memory.live()
        make()
        gc.collect()  # a hook was added to what was about to go: that stays for once
        gc.collect()

        assert gb.memory.live() == before

    def test_through_a_hook_and_a_graph_are_cut_by_backward(self):
        def make():
            x = gb.ones(3, requires_grad=True)
            y = x * 2
            z = y.sum()
            x.register_hook(lambda _: seen.append(z))
            y.register_hook(lambda _: seen.append(z))
            del x, y
            z.backward()
            seen.clear()

        seen: list[gb.Tensor] = []
        assert left_by(make) == NOTHING

    def test_with_a_finalizer_that_computes_are_collected(self):
        sums = []

        class Node:
            def __init__(self):
                self.tensor, self.self = gb.ones(3), self

            def __del__(self):
                with gb.dispose_scope("finalizer"):
                    sums.append((self.tensor + 1).sum().item())

        assert left_by(Node) == NOTHING
        assert sums == [6.0]

    def test_in_living_hands_are_left_alone(self):
        x = gb.ones(3, requires_grad=True)
        calls = []
        x.register_hook(lambda gradient: calls.append((x, gradient.tolist())))
        y = x.alias()

        gc.collect()
        (y * 2).sum().backward()

        assert [gradient for _, gradient in calls] == [[2.0, 2.0, 2.0]]
        calls.clear()

    def test_are_collected_while_another_thread_computes(self):
        def compute():
            while not done.is_set():
                with gb.dispose_scope():
                    (gb.ones(10) * 2).sum()

        done = threading.Event()
        thread = threading.Thread(target=compute)
        thread.start()
        for _ in range(20):
            cycle = [gb.zeros(10)]
            cycle.append(cycle)
            gc.collect(0)
        done.set()
        thread.join()


class TestFinalizersInsideAnOp:
    """Python code that an op runs must not change what the op itself does."""

    def test_keep_the_ops_scope_and_line(self):
        class Number:
            def __float__(self):
                with gb.dispose_scope("inside"):
                    gb.ones(3) + 1
                return 2.0

        with gb.dispose_scope("outside") as scope:
            x = gb.tensor([Number(), 1.0])
            y = gb.full((2,), Number())
            z = x + Number()

            assert [t in scope for t in (x, y, z)] == [True] * 3
            functions = {_engine._site(_engine._birth(t)[1])[2] for t in (x, y, z)}
            assert functions == {
                "TestFinalizersInsideAnOp.test_keep_the_ops_scope_and_line",
            }

    def test_may_close_the_ops_own_scope(self):
        class Number:
            def __float__(self):
                gb.current_dispose_scope().dispose()
                return 2.0

        with gb.dispose_scope("outer") as outer:
            gb.dispose_scope("inner").__enter__()
            x = gb.tensor([Number()])
            assert x in outer

    def test_may_dispose_the_ops_operand(self):
        class Number:
            def __float__(self):
                x.dispose()
                return 2.0

        x = gb.ones(1000)
        y = x + Number()

        assert x.is_disposed
        assert y.sum().item() == 3000.0

    def test_may_make_what_the_op_was_given(self):
        class Row:
            @gb.dispose_scope("row")
            def __float__(self):
                return (gb.full((1000,), 1.5) + gb.zeros(1000)).sum().item()

        with gb.dispose_scope() as scope:
            made = gb.tensor([Row(), Row()])
            assert made.tolist() == [1500.0, 1500.0]
            assert made in scope
            assert _engine._site(_engine._birth(made)[1])[2].endswith("what_the_op_was_given")

    def test_in_a_hook_give_their_bytes_back_at_once(self):
        differences = []

        def hook(_):
            before = gb.memory.memory_allocated()
            with gb.dispose_scope() as scope:
                held = gb.zeros(1000)
                assert held in scope
            differences.append(gb.memory.memory_allocated() - before)

        x = gb.ones(1, requires_grad=True)
        y = x * 2
        y.register_hook(hook)
        x.register_hook(hook)
        with gb.dispose_scope("walk") as scope:
            y.backward()
            assert len(scope) == 0
            assert gb.current_dispose_scope() == scope

        assert differences == [0, 0]
        assert x.grad.item() == 2.0

    def test_in_a_hook_may_dispose_what_the_walk_began_with(self):
        x = gb.ones(1000, requires_grad=True)
        y = x * 2
        z = y.exp().sum()
        y.register_hook(lambda _: [t.dispose() for t in (x, y, z)] and None)
        alias = x.alias()

        z.backward()

        assert x.is_disposed
        assert alias.grad[0].item() == pytest.approx(2 * 7.389056)

    def test_in_a_collection_that_an_op_starts_keep_the_ops_scope(self):
        class Node:
            def __init__(self):
                self.self = self

            def __del__(self):
                with gb.dispose_scope("finalizer"):
                    gb.ones(5) * 2

        with gb.dispose_scope("outer") as scope:
            held = []
            for _ in range(300):  # new handles let the collector run inside an op
                Node()
                held.extend(gb.ones(1) for _ in range(20))
            assert len(scope) == len(held)

        assert all(t.is_disposed for t in held)

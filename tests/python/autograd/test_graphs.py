"""What a graph saves, when it is spoiled, and when it goes."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard import _engine


def leaf(*values: float) -> gb.Tensor:
    return gb.tensor(list(values), dtype=gb.float64, requires_grad=True)


class TestVersions:
    def test_of_a_saved_output_are_told_with_op_and_sizes(self):
        x = leaf(1, 2)
        y = x.exp()
        y.add_(1)

        with pytest.raises(gb.VersionError) as caught:
            y.sum().backward()

        assert str(caught.value) == (
            "exp: the output of sizes [2] that backward needs was written in place: it is at "
            "version 1, saved at version 0; write into a clone(), or write before it is used"
        )

    @pytest.mark.parametrize(
        "write",
        [
            lambda h: h.mul_(2),
            lambda h: h[0].zero_(),
            lambda h: h.T.add_(1),
            lambda h: h.detach().fill_(3),
            lambda h: h.copy_(gb.zeros(2)),
            lambda h: gb.exp(gb.zeros(2, dtype=gb.float64), out=h.detach()),
        ],
    )
    def test_see_every_kind_of_write(self, write):
        h, w = gb.ones(2, dtype=gb.float64), leaf(1, 2)
        h.add_(1)
        y = h * w

        write(h)

        with pytest.raises(
            gb.VersionError, match=r"^mul: the first input .* 2, saved at version 1"
        ):
            y.sum().backward()

    @pytest.mark.parametrize(
        "write",
        [
            lambda h: h.data.add_(1),
            lambda h: h.data[0].zero_(),
            lambda h: h.data.detach().T.fill_(3),
            lambda h: h.data.view(gb.int64).zero_(),
            lambda h: gb.exp(gb.ones(2, dtype=gb.float64), out=h.data),
        ],
    )
    def test_do_not_count_what_is_written_through_data(self, write, no_leaks):
        h, w = gb.ones(2, dtype=gb.float64), leaf(1, 2)
        y = h * w

        write(h)
        y.sum().backward()

        assert w.grad.tolist() == h.tolist() != [1, 1]
        assert h._version == 0

    def test_of_what_data_gave_count_its_own_writes(self):
        h, w = gb.ones(2, dtype=gb.float64), leaf(1, 2)
        apart = h.data
        y = apart * w

        apart.add_(1)

        assert apart._version == 1
        with pytest.raises(gb.VersionError, match=r"^mul: .* at version 1, saved at version 0"):
            y.sum().backward()

    def test_let_a_function_fill_the_memory_it_returns_through_data(self, no_leaks):
        class Put(gb.autograd.Function):
            @staticmethod
            def forward(ctx, rows, value, place):
                ctx.place = place
                rows.data[place] = value
                return rows

            @staticmethod
            def backward(ctx, grad):
                return grad, grad[ctx.place], None

        x = leaf(1, 2)
        rows = gb.zeros(3, 2, dtype=gb.float64)
        total = gb.zeros((), dtype=gb.float64)
        for place in range(3):
            rows = Put.apply(rows, x * (place + 1), place)
            total = total + (rows * x).sum()

        total.backward()

        assert x.grad.tolist() == [28, 56]

    def test_of_parameters_updated_too_early_are_seen(self):
        w = leaf(1, 2)
        y = (w * w).sum()

        with gb.no_grad():
            w.sub_(0.1)

        with pytest.raises(gb.VersionError, match=r"^mul: "):
            y.backward()

    def test_do_not_matter_where_nothing_was_saved(self):
        x = leaf(1, 2)

        y = x**2
        y.add_(1)
        y += y * 0
        y.sum().backward()

        assert x.grad.tolist() == [2, 4]

    def test_of_products_matter_for_the_other_side_alone(self):
        x, constant = leaf(1, 2), gb.ones(2, dtype=gb.float64)
        h = x + 0

        y = h * constant  # h is not needed: constant asks for no gradient
        h.add_(1)
        y.sum().backward()

        assert x.grad.tolist() == [1, 1]

    def test_that_do_not_fit_leave_nothing_alive(self):
        w = leaf(1, 2)
        before = gb.memory.live()

        for doomed in (
            lambda h: h.add_(h * w),
            lambda h: h.mul_(h[:1] * w),
            lambda h: h[1:].copy_((h * w)[:1]),
            lambda h: h.view(1, 2).mul_(h.exp().mul_(h)),
        ):
            h = w * 5
            doomed(h)  # a saved tensor would own the graph that saved it
            del h

        gc.collect()
        assert gb.memory.live() == before


class TestWritingInPlace:
    def test_into_a_leaf_is_refused_while_recording(self):
        x = leaf(1)

        with pytest.raises(
            gb.GradientError, match=r"^add: a leaf that requires grad .*; use no_grad"
        ):
            x += 1
        with gb.no_grad():
            x += 1

        assert x.item() == 2
        assert x._version == 1

    def test_into_a_tensor_without_history_starts_one(self):
        x, buffer = leaf(1, 2), gb.zeros(2, dtype=gb.float64)

        buffer.add_(x * 3)
        buffer.sum().backward()

        assert not buffer.is_leaf
        assert buffer.grad_fn.name() == "add"
        assert x.grad.tolist() == [3, 3]

    def test_of_a_constant_cuts_the_history(self):
        x = leaf(1, 2)
        h = x * 2

        h.fill_(5)
        (h * x).sum().backward()

        assert x.grad.tolist() == [5, 5]

    def test_needs_no_gradient_inside_no_grad(self):
        x = leaf(1, 2)
        h = x * 2

        with gb.no_grad():
            h.mul_(10)
        h.sum().backward()

        assert x.grad.tolist() == [2, 2]

    def test_keeps_what_its_gradient_needs(self):
        x, w = leaf(1, 2), leaf(3, 4)
        h = x * 1

        h.mul_(w).sin_().mul_(h)
        h.sum().backward()

        s, c = np.sin([3, 8]), np.cos([3, 8])
        np.testing.assert_allclose(x.grad.numpy(), 2 * s * c * [3, 4], rtol=1e-12)
        np.testing.assert_allclose(w.grad.numpy(), 2 * s * c * [1, 2], rtol=1e-12)


class TestWhatAGraphKeeps:
    COUNT = 50_000  # elements of 8 bytes: blocks of the allocator, not payloads inside a storage

    def chain(self, length: int) -> tuple[gb.Tensor, gb.Tensor]:
        x = gb.zeros(self.COUNT, dtype=gb.float64, requires_grad=True)
        y = x
        for _ in range(length):
            y = (y * 0.1).exp()
        return x, y

    def test_a_gradient_from_a_start_with_a_history_has_none_of_it(self):
        x = gb.tensor([1.0, 2.0], requires_grad=True)
        start = x * 3

        for given in (start, start.double()):
            x.grad = None
            x.view_as(x).backward(given)

            assert x.grad.tolist() == [3, 6]
            assert not x.grad.requires_grad

    def test_is_storages_and_not_aliases(self):
        before = gb.memory.live()

        _, y = self.chain(10)

        left = gb.memory.live() - before
        assert left.aliases == 2
        assert left.nodes == 20
        assert left.storages == 11  # x, and an output of exp each
        assert y.grad_fn.name() == "exp"

    def test_goes_with_its_last_tensor(self):
        before = gb.memory.live()

        x, y = self.chain(10)
        del y

        assert gb.memory.live() - before == gb.memory.LiveCounts(1, 1, 0, 8 * self.COUNT)
        assert not x.grad

    def test_goes_step_by_step_as_backward_passes(self):
        x, y = self.chain(10)
        loss = y.sum()
        del y
        start = gb.memory.memory_allocated()
        gb.memory.reset_peak_memory_stats()
        seen = []
        x.register_hook(lambda g: seen.append(gb.memory.memory_allocated()))

        loss.backward()

        size = 8 * self.COUNT
        assert seen[0] < start - 8 * size
        assert gb.memory.max_memory_allocated() < start + 4 * size

    def test_stays_on_request(self):
        _, y = self.chain(10)
        loss = y.sum()
        before = gb.memory.live()

        loss.backward(retain_graph=True)

        assert (gb.memory.live() - before).storages == 1  # the gradient

    def test_of_a_released_graph_is_nothing(self):
        x, y = self.chain(3)
        before = gb.memory.live()

        y.sum().backward()

        left = gb.memory.live() - before
        assert left.storages == -2 + 1  # the outputs of exp but y, which lives; the gradient
        assert y.grad_fn.is_released
        assert y.grad_fn.next_functions == ()
        assert x.grad is not None


def in_a_small_stack(run: Callable[[], Any]) -> list[Any]:
    """Run in a thread whose stack holds a few hundred C++ frames, and return the result."""
    before = threading.stack_size(128 * 1024)
    try:
        results = []
        thread = threading.Thread(target=lambda: results.append(run()))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    return results


class TestALongGraph:
    LENGTH = 100_000

    def test_is_walked_and_freed_without_recursion(self):
        def run() -> float:
            x = gb.tensor(1.0, dtype=gb.float64, requires_grad=True)
            y = x
            for _ in range(self.LENGTH):
                y = y * 1.00001
            y.backward()
            return x.grad.item()

        assert in_a_small_stack(run) == [pytest.approx(1.00001**self.LENGTH)]

    @pytest.mark.parametrize(
        "step",
        [
            lambda y, x: y + x,
            lambda y, x: (y * x).tanh(),
            lambda y, x: y.view(1).view(()),
            lambda y, x: y.add_(x),
            lambda y, x: gb.stack([y, x]).sum(),
        ],
        ids=["edges", "saved", "views", "in-place", "joined"],
    )
    def test_is_freed_unwalked_without_recursion(self, step):
        before = gb.memory.live()

        def run() -> int:
            x = gb.tensor(1.0, requires_grad=True)
            y = x * 1
            for _ in range(self.LENGTH // 4):
                y = step(y, x)
            nodes = (gb.memory.live() - before).nodes
            del y
            return nodes

        (nodes,) = in_a_small_stack(run)
        assert nodes > self.LENGTH // 4
        assert gb.memory.live() == before


def test_a_node_is_one_short_line_where_it_is_looked_at():
    y = leaf(1, 2).exp()
    node = y.grad_fn

    assert repr(node) == f"<GraphNode exp #{node.serial}>"
    y.sum().backward()
    assert repr(node) == f"<GraphNode exp #{node.serial}, released>"


def test_nodes_name_their_op_and_what_they_saved():
    x = leaf(1, 2)

    y = x.exp()

    (row,) = [row for row in _engine._nodes() if row["serial"] == y.grad_fn.serial]
    assert row["name"] == "exp"
    assert row["saved_bytes"] == 16


def test_a_parameter_that_was_stepped_says_when_to_step():
    layer, x = gb.nn.Linear(2, 1), gb.ones(1, 2, requires_grad=True)
    optimizer = gb.optim.SGD(layer.parameters(), lr=0.1)
    loss = layer(x).sum()
    loss.backward(retain_graph=True)
    optimizer.step()

    with pytest.raises(
        gb.VersionError, match=r"linear: .*; call backward\(\) before an optimizer's"
    ):
        loss.backward()


class TestAnOpThatWroteIntoAView:
    """Its rule runs inside of a node of the base, while it may be a node of its own elsewhere."""

    @staticmethod
    def loss_of(base: gb.Tensor, x: gb.Tensor) -> gb.Tensor:
        """Write, and compute what has a graph that goes through the op, and not the base."""
        base[1].exp_()
        (slope,) = gb.autograd.grad(base.sum(), x, create_graph=True)
        return slope[1].sum()

    def test_may_be_freed_by_a_recorded_pass_before_the_base_is(self):
        x = gb.rand(2, 3, requires_grad=True)
        base = x * 1
        self.loss_of(base, x).backward()

        with pytest.raises(gb.GradientError, match=r"^backward: the graph of exp was freed by an"):
            base[0].sum().backward()

    def test_is_not_freed_by_a_pass_that_begins_while_the_base_is_visited(self):
        x = gb.rand(2, 3, requires_grad=True)
        base = x * 1
        loss = self.loss_of(base, x)

        def free(gradient: gb.Tensor) -> None:
            with pytest.raises(gb.GradientError, match="pass is under way"):
                loss.backward()

        base.register_hook(free)
        base[0].sum().backward()

        assert x.grad.tolist() == [[1.0] * 3, [0.0] * 3]


WHOLE_WRITES = {
    "zero_": lambda h, w: h.zero_(),
    "fill_": lambda h, w: h.fill_(3),
    "copy_": lambda h, w: h.copy_(gb.ones(2)),
    "copy_ of what asks for a gradient": lambda h, w: h.copy_(w),
    "normal_": lambda h, w: h.normal_(),
    "exponential_": lambda h, w: h.exponential_(),
    "through a view": lambda h, w: h.view(1, 2).zero_(),
}


class TestWhatIsOverwrittenWhole:
    @pytest.mark.parametrize("write", WHOLE_WRITES.values(), ids=WHOLE_WRITES)
    def test_gets_zeros_for_its_gradient(self, write, no_leaks):
        x, w = leaf(1, 2), leaf(5, 6)
        h = x * 2
        write(h, w)

        h.sum().backward()

        assert x.grad.tolist() == [0, 0]
        assert w.grad is None or w.grad.tolist() == [1, 1]

    def test_is_met_by_grad_too(self):
        x = leaf(1, 2)
        h = x * 2
        h.zero_()

        (found,) = gb.autograd.grad(h.sum(), x)

        assert found.tolist() == [0, 0]

    def test_asks_for_no_gradient_of_what_had_none(self):
        w, h = leaf(5, 6), gb.ones(2, dtype=gb.float64)
        h.copy_(w)

        assert next(edge for edge, _ in h.grad_fn.next_functions) is None
        h.sum().backward()
        assert w.grad.tolist() == [1, 1]

"""A rule writes its result over a gradient that nobody else can see, and over no other."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import memory

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

COUNT = 1 << 20
BYTES = 4 * COUNT
OPS = [gb.relu, gb.sigmoid, gb.tanh, gb.exp]


def slope_of(op, x: float) -> float:
    leaf = gb.tensor(x, requires_grad=True)
    op(leaf).backward()
    assert leaf.grad is not None
    return leaf.grad.item()


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.__name__)
class TestOneGradientAtATime:
    def test_is_live_on_the_way_back(self, op):
        x = gb.ones(COUNT, requires_grad=True)
        y = op(op(op(x))) * 1.0
        seed = gb.ones(COUNT)
        before = memory.memory_allocated()
        memory.reset_peak_memory_stats()

        y.backward(seed)

        assert memory.max_memory_allocated() - before <= BYTES

    def test_is_right(self, op):
        x = gb.tensor([0.5, -0.25], requires_grad=True)
        expected = []
        for value in x.tolist():
            inner = op(gb.tensor(value))
            expected.append(3 * slope_of(op, value) * slope_of(op, inner.item()))

        (op(op(x)) * 3.0).sum().backward()

        assert x.grad is not None
        assert x.grad.tolist() == pytest.approx(expected, rel=1e-5)

    def test_leaves_the_gradient_that_was_given(self, op):
        x = gb.ones(8, requires_grad=True)
        given = gb.full((8,), 5.0)

        op(op(x)).backward(given)

        assert given.tolist() == [5.0] * 8

    def test_leaves_the_gradient_that_a_hook_has_kept(self, op):
        kept = []
        x = gb.ones(8, requires_grad=True)
        inner = x * 1.0
        y = op(inner)
        y.register_hook(lambda gradient: kept.append(gradient.alias()))

        (y * 7.0).sum().backward()

        assert kept[0].tolist() == [7.0] * 8

    def test_leaves_the_gradient_that_another_input_gets_too(self, op):
        x, other = gb.full((8,), 0.5, requires_grad=True), gb.ones(8, requires_grad=True)

        ((op(x) + other) * 2.0).sum().backward()

        assert other.grad is not None
        assert other.grad.tolist() == [2.0] * 8

    def test_leaves_the_gradients_that_were_asked_for(self, op):
        x = gb.full((8,), 0.5, requires_grad=True)
        y = op(x)

        of_y, of_x = gb.autograd.grad((y * 2.0).sum(), [y, x])

        assert of_y.tolist() == [2.0] * 8
        assert of_x.tolist() == pytest.approx([2 * slope_of(op, 0.5)] * 8, rel=1e-5)

    def test_is_repeatable_on_a_graph_that_is_kept(self, op):
        x = gb.full((8,), 0.5, requires_grad=True)
        y = (op(op(x)) * 3.0).sum()

        y.backward(retain_graph=True)
        assert x.grad is not None
        first = x.grad.tolist()
        x.grad = None
        y.backward()

        assert x.grad.tolist() == first

    def test_is_differentiable_again(self, op):
        x = gb.full((8,), 0.5, requires_grad=True)
        (first,) = gb.autograd.grad(op(op(x)).sum(), [x], create_graph=True)
        (second,) = gb.autograd.grad(first.sum(), [x])

        step = 1e-2
        slopes = []
        for at in (0.5 - step, 0.5 + step):
            near = gb.full((8,), at, requires_grad=True)
            op(op(near)).sum().backward()
            assert near.grad is not None
            slopes.append(near.grad[0].item())
        assert second[0].item() == pytest.approx((slopes[1] - slopes[0]) / (2 * step), rel=1e-2)


def test_a_gradient_that_was_expanded_is_not_written():
    x = gb.ones(2, 3, requires_grad=True)

    gb.relu(x * 1.0).sum().backward()

    assert x.grad is not None
    assert x.grad.tolist() == [[1.0] * 3] * 2


def test_gradients_that_meet_after_an_expanded_one_add_up():
    x = gb.ones(2, 3, requires_grad=True)
    y = x * 1.0

    (y.sum() + (y * 2.0).sum() + y.sum()).backward()

    assert x.grad is not None
    assert x.grad.tolist() == [[4.0] * 3] * 2


def test_gradients_of_no_elements_that_meet_after_an_expanded_one_add_up():
    x = gb.ones(0, 3, requires_grad=True)
    y = x * 1.0

    (y.sum() + (y * 2.0).sum() + y.sum()).backward()

    assert x.grad is not None
    assert x.grad.shape == (0, 3)


def test_nothing_is_met_twice_where_nothing_is():
    x = gb.zeros(1).expand(0, 3)[:, :2]

    x.add_(1.0)

    assert x.tolist() == []


def test_linear_layers_with_many_dims_hand_on_what_relu_may_write():
    w = gb.ones(64, 64, requires_grad=True)
    x = gb.ones(16, 16, 64, requires_grad=True)
    inner = gb.relu(gb.nn.functional.linear(x, w))
    y = gb.nn.functional.linear(inner, w)
    seed = gb.ones(16, 16, 64)
    before = memory.memory_allocated()
    memory.reset_peak_memory_stats()

    y.backward(seed)

    # at most two gradients of that size, the one of w, and its transposed part
    assert memory.max_memory_allocated() - before <= 2 * x.nbytes + 2 * w.nbytes
    assert x.grad is not None
    assert x.grad[0, 0, 0].item() == 64.0 * 64.0

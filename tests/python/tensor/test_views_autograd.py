"""Writing through views: which histories change, and the gradients that come of it."""

from __future__ import annotations

import gc
from collections.abc import Callable

import garboard as gb
import numpy as np
import pytest

from tests.support.finite_differences import check_first_order, check_second_order

Program = Callable[[gb.Tensor, gb.Tensor], gb.Tensor]


def leaf(*values: float) -> gb.Tensor:
    return gb.tensor(list(values), dtype=gb.float64, requires_grad=True)


def rows_of_a_loop(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    out, state = gb.zeros(3, 4, dtype=gb.float64), h[0]
    for t in range(3):
        state = (state * w[t]).tanh()
        out[t] = state
    return out


def every_second_column(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    h[:, ::2] *= w[:, 1::2]
    h[:, ::-2] += 1
    return h


def transposed(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    h.T.mul_(w.T)
    h.mT[1:].exp_()
    return h


def nested(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    h[1:][0].mul_(w[0])
    h.view(2, 6)[1].view(3, 2).T[0].sin_()
    h[1:][:, 1:3].permute(1, 0)[0].copy_(w[1:, 0])
    return h


def view_made_before(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    row, column = h[0], h[:, 1]
    h.mul_(w)
    return row * 2 + column.sum()


def view_made_after(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    h.mul_(w)
    return h[0] * h[:, 1].sum()


def view_written_and_read(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    row = h[0]
    row.mul_(w[0])
    return row.exp() + row


def overlapping_views(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    left, right = h[:, :3], h[:, 1:]
    left.mul_(w[:, :3])
    right.mul_(w[:, 1:])
    left.add_(w[:, 1:])
    return left * 2 + right * 3


def base_and_view_in_turns(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    row = h[1]
    row.mul_(w[0])
    h.mul_(w)
    row.add_(w[2])
    h.sin_()
    return h * 1 + row


def widened_before(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    first = h[:1]
    wide = first.expand(3, 4)
    h.mul_(w)
    return wide * w


def squeezed(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    h.unsqueeze(1)[:, 0].mul_(w)
    h.narrow(0, 1, 2).squeeze().select(1, 3).sub_(w[1:, 0], alpha=2)
    h.flatten()[5:7].div_(w.view(-1)[:2] + 3)
    return h


def constants(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    h[0] = 5
    h[1:, :2].zero_()
    h[2, 3:] = w[0, :1]
    h.T[3].clamp_(-0.5, 0.5)
    return h * w


def broadcast_into_a_part(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    h[1:] = w[0]
    h[:, 2] += w[0, 0]
    h[:2, :2] *= w[:1, :2]
    return h


def into_memory_without_history(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    whole = gb.ones(6, 4, dtype=gb.float64)
    whole[:3] = h
    whole[3:].mul_(w)
    whole[2:4].exp_()
    return whole


def narrower(h: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
    mixed = gb.zeros(3, 4)
    mixed[:, :2] = h[:, :2]
    mixed[0].add_(gb.ones(4))
    return mixed.double() * w


PROGRAMS: list[Program] = [
    rows_of_a_loop,
    every_second_column,
    transposed,
    nested,
    view_made_before,
    view_made_after,
    view_written_and_read,
    overlapping_views,
    base_and_view_in_turns,
    widened_before,
    squeezed,
    constants,
    broadcast_into_a_part,
    into_memory_without_history,
]


@pytest.mark.parametrize("program", PROGRAMS)
class TestAProgram:
    def arrays(self) -> list[np.ndarray]:
        rng = np.random.default_rng(21)
        return [rng.uniform(-1, 1, (3, 4)), rng.uniform(0.5, 1.5, (3, 4))]

    def test_has_the_slope_of_finite_differences(self, program):
        check_first_order(lambda h, w: program(h * 1, w), self.arrays())

    def test_has_the_curvature_of_finite_differences(self, program):
        check_second_order(lambda h, w: program(h * 1, w), self.arrays())

    def test_leaves_nothing_behind_walked_or_not(self, program):
        gc.collect()
        before = gb.memory.live()

        for walks in (True, False):
            h, w = (gb.tensor(array, requires_grad=True) for array in self.arrays())
            result = program(h * 1, w).sum()
            if walks:
                result.backward()
            del h, w, result

        assert gb.memory.live() == before


def test_gradients_pass_through_a_narrower_dtype():
    h, w = gb.ones(3, 4, dtype=gb.float64, requires_grad=True), gb.ones(3, 4)

    narrower(h, w).sum().backward()

    assert h.grad.tolist() == [[1, 1, 0, 0]] * 3


class TestWhatAWriteMakesOfATensor:
    def test_a_buffer_becomes_computed_and_so_do_its_views(self):
        x, buffer = leaf(1, 2), gb.zeros(2, 2, dtype=gb.float64)
        before = buffer[1]
        assert not before.requires_grad

        buffer[0] = x * 3

        assert buffer.requires_grad
        assert not buffer.is_leaf
        assert buffer.grad_fn.name() == "copy_"
        assert before.requires_grad
        assert before.grad_fn.name() == "as_strided"
        assert buffer[1].grad_fn.name() == "select"
        before.sum().backward()
        assert x.grad.tolist() == [0, 0]

    def test_the_written_view_itself_gets_a_history(self):
        x, buffer = leaf(1, 2), gb.zeros(2, 2, dtype=gb.float64)
        row = buffer[0]

        row.copy_(x)
        row.mul_(3)

        assert row.requires_grad
        row.sum().backward()
        assert x.grad.tolist() == [3, 3]

    def test_a_requested_gradient_stays_with_its_leaf(self):
        x = leaf(1, 2)
        view = x[:1]

        with gb.no_grad():
            view.mul_(5)

        assert x.tolist() == [5, 2]
        assert x.is_leaf
        (x * x).sum().backward()
        assert x.grad.tolist() == [10, 4]

    def test_a_detached_view_writes_unseen_but_counted(self):
        x = leaf(1, 2)
        h = x * 2

        h.detach()[0].fill_(7)
        h.sum().backward()

        assert h._version == 1
        assert x.grad.tolist() == [2, 2]

    def test_hooks_of_a_view_see_its_gradient_in_either_order(self):
        x, seen = leaf(1, 2, 3), []
        h = x * 2
        h[1:].register_hook(lambda g: seen.append("of a view that is gone"))
        part = h[1:]
        h.mul_(3)
        part.register_hook(lambda g: seen.append(g.tolist()))

        (part * 5).sum().backward()

        assert seen == [[5, 5]]
        assert x.grad.tolist() == [0, 30, 30]


class TestWhatIsRefused:
    def test_a_view_of_a_leaf(self):
        x = leaf(1, 2)

        for write in (
            lambda: x[0].add_(1),
            lambda: x.T.mul_(2),
            lambda: x.view(2, 1)[1:].zero_(),
            lambda: x.__setitem__(0, 5),
            lambda: x[:1].copy_(gb.ones(1)),
        ):
            with pytest.raises(gb.GradientError, match=r"^\w+: a view of a leaf that"):
                write()

        assert x.tolist() == [1, 2]
        assert x._version == 0

    def test_a_view_that_was_made_unrecorded(self):
        x = leaf(1, 2)
        h = x * 2
        with gb.no_grad():
            view = h[:1]

        with pytest.raises(gb.GradientError, match=r"^mul: a view, made inside no_grad\(\), "):
            view.mul_(2)
        with gb.no_grad():
            view.mul_(2)

        assert h.tolist() == [4, 4]

    def test_a_view_that_meets_elements_twice(self):
        x = leaf(1, 2)
        wide = (x * 2).expand(3, 2)

        with pytest.raises(gb.ShapeError, match=r"^add: sizes \[3, 2\] with strides \[0, 1\] "):
            wide.add_(1)


class TestManyWrites:
    def test_cost_no_recursion_and_leave_nothing(self):
        before = gb.memory.live()

        x = leaf(2)
        out = gb.zeros(500, 1, dtype=gb.float64)
        for t in range(500):
            out[t] = x * t
        out.sum().backward()
        assert x.grad.item() == sum(range(500))
        del x, out

        assert gb.memory.live() == before

    def test_keep_nothing_of_what_they_overwrite(self):
        x = gb.ones(50_000, requires_grad=True)
        h = x * 1
        before = gb.memory.live().bytes

        for _ in range(20):
            h[:10_000].add_(x[:10_000])

        assert gb.memory.live().bytes == before


@pytest.mark.parametrize(
    "make",
    [
        lambda: gb.zeros(6).view(2, 3).requires_grad_(),
        lambda: gb.empty_strided((2, 3), (1, 1), requires_grad=True),
    ],
    ids=["view", "empty_strided"],
)
def test_a_leaf_that_is_a_view_is_not_written_through_its_views(make, no_leaks):
    with gb.dispose_scope():
        leaf = make()

        with pytest.raises(
            gb.GradientError, match=r"^fill_: a view of a leaf, itself a view, that"
        ):
            leaf[0].fill_(1)

        assert leaf.is_leaf
        with gb.no_grad():
            leaf[0].fill_(1)
        assert leaf[0].tolist() == [1, 1, 1]

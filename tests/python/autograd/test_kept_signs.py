"""Of a large output of `relu` a bit each is kept: whether an element is at most 0."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import memory

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

LARGE = 40_003  # no multiple of 8; small ones keep the output itself
FLOATING = [gb.float32, gb.float64, gb.float16, gb.bfloat16]


def leaf(dtype: gb.dtype = gb.float32) -> gb.Tensor:
    x = gb.randn(LARGE, generator=gb.Generator().manual_seed(5)).to(dtype)
    x[:6] = gb.tensor([0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e-7])
    return x.requires_grad_()


def is_positive(x: gb.Tensor) -> gb.Tensor:
    return (~(x.detach() <= 0)).float()


def by_parts(x: gb.Tensor, given: gb.Tensor) -> gb.Tensor:
    """The same of pieces so small that each output is kept."""
    parts = [part.detach().requires_grad_() for part in x.detach().split(1000)]
    for part, gradient in zip(parts, given.split(1000), strict=True):
        gb.relu(part).backward(gradient)
    return gb.cat([part.grad for part in parts if part.grad is not None])


class TestTheGradient:
    @pytest.mark.parametrize("dtype", FLOATING, ids=str)
    def test_is_that_of_what_keeps_its_output(self, dtype):
        x = leaf(dtype)
        given = gb.randn(LARGE, generator=gb.Generator().manual_seed(6)).to(dtype)

        gb.relu(x).backward(given)

        assert x.grad is not None
        assert x.grad.dtype == dtype
        assert gb.equal(x.grad, by_parts(x, given))

    def test_is_right_where_the_given_one_is_expanded(self):
        x = leaf()

        gb.relu(x).sum().backward()

        assert x.grad is not None
        assert gb.equal(x.grad, is_positive(x))

    def test_of_an_op_in_place_is_the_same(self):
        x, y = leaf(), leaf()

        (gb.relu_(x * 1.0) * 2.0).sum().backward()
        (gb.relu(y * 1.0) * 2.0).sum().backward()

        assert x.grad is not None
        assert y.grad is not None
        assert gb.equal(x.grad, y.grad)

    def test_of_an_input_that_is_not_contiguous_is_right(self):
        x = gb.randn(200, 300, generator=gb.Generator().manual_seed(7)).requires_grad_()

        gb.relu(x.T).sum().backward()

        assert x.grad is not None
        assert gb.equal(x.grad, is_positive(x))

    def test_has_a_gradient_of_its_own(self):
        x = leaf()
        given = gb.ones(LARGE, requires_grad=True)

        (first,) = gb.autograd.grad(gb.relu(x), [x], given, create_graph=True)
        (second,) = gb.autograd.grad((first * first).sum(), [given])

        assert gb.equal(second, 2 * is_positive(x))

    def test_leaves_the_gradient_that_was_given(self):
        given = gb.full((LARGE,), 5.0)

        gb.relu(leaf()).backward(given)

        assert given.tolist() == [5.0] * LARGE

    def test_is_right_when_the_output_was_written_since(self):
        x = leaf()
        y = gb.relu(x)
        y.mul_(3.0)

        y.sum().backward()

        assert x.grad is not None
        assert gb.equal(x.grad, 3 * is_positive(x))

    def test_passes_what_packs_saved_tensors(self):
        packed = []

        def pack(kept: gb.Tensor) -> gb.Tensor:
            packed.append((kept.dtype, kept.nbytes))
            return kept

        x = leaf()
        with gb.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):
            y = gb.relu(x)
        y.sum().backward()

        assert packed == [(gb.uint8, (LARGE + 7) // 8)]
        assert x.grad is not None
        assert gb.equal(x.grad, is_positive(x))


class TestMemory:
    def test_of_the_output_goes_where_nobody_else_keeps_it(self):
        x = gb.randn(1 << 20).requires_grad_()
        before = memory.memory_allocated()

        kept = gb.nn.functional.max_pool1d(gb.relu(x).view(1, -1), 2).sum()

        of_the_pool = (1 << 19) * (1 + 4)  # at most: its result is summed, and its places are kept
        assert memory.memory_allocated() - before <= (1 << 20) // 8 + of_the_pool
        kept.backward()

    def test_of_one_gradient_is_taken_where_an_expanded_one_was_given(self):
        x = leaf()
        loss = gb.relu(x).sum()
        before = memory.memory_allocated()
        memory.reset_peak_memory_stats()

        loss.backward()

        assert memory.max_memory_allocated() - before <= x.nbytes + 64

    @pytest.mark.parametrize("in_place", [False, True])
    def test_that_is_short_for_the_bits_has_the_output_kept(self, in_place):
        x = leaf()
        y = x * 1.0

        with memory.fail_allocation(1 if in_place else 2) as plan:
            z = y.relu_() if in_place else gb.relu(y)
        z.sum().backward()

        assert plan.has_failed
        assert x.grad is not None
        assert gb.equal(x.grad, is_positive(x))

    def test_of_a_backward_pass_that_ran_out_is_given_back(self):
        x = leaf()
        y = gb.relu(x)
        before = gb.memory.live()

        with memory.fail_allocation(1), pytest.raises(gb.OutOfMemoryError):
            y.backward(gb.ones(1).expand(LARGE))

        assert gb.memory.live() == before
        y.sum().backward()


def test_gradients_of_the_extreme_of_numbers_that_are_none_go_to_all_of_them():
    x = gb.tensor([1.0, float("nan"), 3.0, float("nan")], requires_grad=True)

    for name in ("max", "min", "amax"):
        x.grad = None
        getattr(x, name)().backward()
        assert x.grad.tolist() == [0, 0.5, 0, 0.5]


def test_a_negative_number_to_a_complex_power_has_a_gradient():
    base = gb.tensor([-1.5], dtype=gb.float64)
    power = gb.tensor([1 + 1j], requires_grad=True)

    (got,) = gb.autograd.grad((base**power).abs().sum(), power)
    (wanted,) = gb.autograd.grad(((base + 0j) ** power).abs().sum(), power)

    assert gb.allclose(got, wanted)

"""Rounded quotients, decimals, and other elementwise functions with arguments of their own."""

from __future__ import annotations

import math

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

INF, NAN = float("inf"), float("nan")


class TestQuotients:
    @pytest.mark.parametrize("dtype", [gb.int64, gb.int8, gb.float64, gb.float16])
    @pytest.mark.parametrize(("mode", "rounded"), [("trunc", np.trunc), ("floor", np.floor)])
    def test_are_rounded_in_their_own_dtype(self, dtype, mode, rounded):
        a, b = gb.tensor([-7, 7, -6, 5], dtype=dtype), gb.tensor([2, -2, 3, 5], dtype=dtype)

        result = gb.div(a, b, rounding_mode=mode)

        assert result.dtype == dtype
        assert result.tolist() == rounded(np.array([-3.5, -3.5, -2, 1])).tolist()
        assert a.clone().div_(b, rounding_mode=mode).tolist() == result.tolist()

    def test_of_numbers_are_rounded_too(self):
        assert gb.div(7, gb.tensor([2, -2]), rounding_mode="trunc").tolist() == [3, -3]
        assert (gb.tensor([7]) / 2).divide(0.5, rounding_mode="floor").tolist() == [7.0]

    @pytest.mark.parametrize("mode", ["trunc", "floor"])
    def test_that_are_rounded_have_the_gradient_zero(self, mode):
        x = gb.tensor([7.0], requires_grad=True)

        x.div(2.0, rounding_mode=mode).sum().backward()

        assert x.grad.tolist() == [0.0]

    def test_are_refused_in_words(self):
        with pytest.raises(ValueError, match=r"^div: rounding_mode 'ceil'; 'trunc' or 'floor'"):
            gb.div(gb.ones(1), 2, rounding_mode="ceil")


class TestTwoNumbers:
    def test_are_added_multiplied_and_divided_as_tensors_without_dims(self, no_leaks):
        found = [gb.add(1, 2), gb.sub(1, 2, alpha=3), gb.mul(2, 2.5), gb.div(7, 2), gb.add(True, 1)]

        assert [it.item() for it in found] == [3, -5, 5.0, 3.5, 2]
        assert [it.dtype for it in found] == [gb.int64, gb.int64, *[gb.float32] * 2, gb.int64]
        assert gb.div(7, 2, rounding_mode="floor").item() == gb.floor_divide(7, 2).item() == 3
        assert gb.add(1, 2, out=gb.empty(())).item() == 3

    def test_that_scale_bools_are_truths(self):
        x = gb.tensor([True, False])

        assert gb.add(x, x, alpha=2).tolist() == [True, False]
        assert gb.add(x, x.logical_not(), alpha=2).tolist() == [True, True]
        assert gb.add(x, x.logical_not(), alpha=0).tolist() == [True, False]
        assert x.clone().add_(x.logical_not(), alpha=3).tolist() == [True, True]

    def test_are_refused_by_other_ops(self):
        with pytest.raises(TypeError, match=r"^maximum: two numbers; at least one Tensor"):
            gb.maximum(1, 2)


class TestDecimals:
    def test_are_kept_as_many_as_asked_for(self):
        x = gb.tensor([1234.5678, -0.125, 2.5], dtype=gb.float64)

        assert x.round(decimals=2).tolist() == [1234.57, -0.12, 2.5]
        assert x.round(decimals=-2).tolist() == [1200.0, 0.0, 0.0]
        assert x.round().tolist() == [1235.0, 0.0, 2.0]
        assert all(map(math.isnan, x.round(decimals=-(2**63)).tolist()))
        assert x.round_(decimals=1).tolist() == [1234.6, -0.1, 2.5]

    def test_of_half_types_do_not_overflow(self):
        assert gb.tensor([200.0], dtype=gb.float16).round(decimals=3).tolist() == [200.0]

    def test_of_integers_are_refused(self):
        with pytest.raises(gb.DTypeError, match=r"^round: dtype int64 to 1 decimals; a floating"):
            gb.arange(3).round(decimals=1)


class TestWhatIsWrittenInPlace:
    def test_records_what_was_overwritten(self):
        x = gb.tensor([0.25, 0.75], dtype=gb.float64, requires_grad=True)

        y = (x * 1).logit_()
        y.sum().backward()

        np.testing.assert_allclose(x.grad.numpy(), 1 / (np.array([0.25, 0.75]) * [0.75, 0.25]))

    def test_is_no_leaf_that_requires_grad(self):
        x = gb.ones(1, requires_grad=True)

        with pytest.raises(gb.GradientError, match=r"^frac_?: "):
            x.frac_()
        with pytest.raises(gb.GradientError, match=r"^sinc: out= given"):
            gb.sinc(x, out=gb.zeros(1))
        with pytest.raises(gb.DTypeError, match=r"^sinc: a result of float32 does not fit"):
            gb.arange(2).sinc_()
        with pytest.raises(gb.ShapeError, match=r"^frac: out has sizes \[2\], the result \[1\]"):
            gb.frac(gb.ones(1), out=gb.zeros(2))


class TestShifts:
    def test_are_operators(self):
        x = gb.tensor([1, -8])

        assert (x << 2).tolist() == [4, -32]
        assert (x >> 1).tolist() == [0, -4]
        assert (1 << gb.tensor([3])).tolist() == [8]
        x <<= 1
        assert x.tolist() == [2, -16]

    def test_beyond_the_bits_leave_the_sign(self):
        x = gb.tensor([5, -5], dtype=gb.int8)

        assert (x << 8).tolist() == [0, 0]
        assert (x >> 9).tolist() == [0, -1]
        assert (gb.tensor([200], dtype=gb.uint8) >> 8).tolist() == [0]
        with pytest.raises(gb.DTypeError, match=r"^bitwise_left_shift: dtype float32"):
            gb.ones(1) << 1


class TestSigns:
    def test_of_infinities_are_told_apart(self):
        x = gb.tensor([INF, -INF, NAN, 1.0])

        assert x.isposinf().tolist() == [True, False, False, False]
        assert x.isneginf().tolist() == [False, True, False, False]
        assert gb.arange(2).isposinf().tolist() == [False, False]

    def test_stay_where_nothing_is_done(self):
        assert gb.tensor([-1]).positive().tolist() == [-1]
        with pytest.raises(gb.DTypeError, match=r"^positive: dtype bool"):
            gb.tensor([True]).positive()

    def test_turn_in_a_reversed_difference(self):
        assert gb.rsub(gb.tensor([1, 2]), 10, alpha=3).tolist() == [7, 4]


class TestEndsOfDomains:
    def test_of_special_functions_are_pytorchs(self):
        assert gb.tensor([0.0, -1.0, INF, -INF]).lgamma().tolist() == [INF] * 4
        assert gb.tensor([1.0, -1.0, 0.0]).erfinv().tolist() == [INF, -INF, 0.0]
        assert gb.tensor([0.0, -0.0]).digamma().tolist() == [-INF, INF]
        assert bool(gb.tensor([1.5]).erfinv().isnan().all())
        assert bool(gb.tensor([-2.0]).digamma().isnan().all())

    def test_digamma_has_slopes_of_any_order_on_both_sides(self):
        x = gb.tensor([2.0, 0.3, -1.7], dtype=gb.float64, requires_grad=True)

        (first,) = gb.autograd.grad(x.digamma().sum(), [x], create_graph=True)
        (second,) = gb.autograd.grad(first.sum(), [x], create_graph=True)
        (third,) = gb.autograd.grad(second.sum(), [x])

        zeta_of_3 = 1.2020569031595942
        assert second[0].item() == pytest.approx(2 - 2 * zeta_of_3, rel=1e-10)
        assert third[0].item() == pytest.approx(math.pi**4 / 15 - 6, rel=1e-10)
        step = 1e-5
        near = gb.tensor([0.3 + step, -1.7 + step, 0.3 - step, -1.7 - step], dtype=gb.float64)
        (slopes,) = gb.autograd.grad(near.requires_grad_().digamma().sum(), [near])
        differences = (slopes[:2] - slopes[2:]) / (2 * step)
        assert gb.allclose(second[1:], differences, rtol=1e-6)


class TestMembers:
    @pytest.mark.parametrize("dtype", [gb.int64, gb.uint8, gb.float32, gb.bool])
    def test_are_found_as_numpy_finds_them(self, dtype):
        x, known = gb.tensor([[0, 1, 5], [3, 1, 9]]).to(dtype), gb.tensor([9, 1, 1]).to(dtype)

        expected = np.isin(x.numpy(), known.numpy())

        np.testing.assert_array_equal(gb.isin(x, known).numpy(), expected)
        np.testing.assert_array_equal(gb.isin(x, known, invert=True).numpy(), ~expected)

    @pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16, gb.float32, gb.float64])
    def test_that_are_numbers_are_rounded_as_the_others_are(self, dtype):
        x = gb.tensor([0.1, 0.2], dtype=dtype)

        assert gb.isin(x, 0.1).tolist() == [True, False]
        assert gb.isin(0.2, x).item() is True
        assert gb.searchsorted(x, 0.2).item() == 1
        assert gb.bucketize(0.1, x).item() == 0

    def test_may_be_numbers_and_none(self):
        assert gb.isin(gb.tensor([1, 2]), 2).tolist() == [False, True]
        assert gb.isin(2, gb.tensor([1, 2])).tolist() is True
        assert gb.isin(gb.ones(2), gb.ones(0)).tolist() == [False, False]
        assert gb.isin(gb.tensor([NAN]), gb.tensor([NAN])).tolist() == [False]
        with pytest.raises(TypeError, match=r"^isin: two numbers; at least one Tensor"):
            gb.isin(1, 2)


class TestExtremes:
    def test_are_found_together(self):
        x = gb.tensor([[3.0, 1.0], [2.0, 5.0]])

        both = gb.aminmax(x, dim=1, keepdim=True)

        assert both.min.tolist() == [[1.0], [2.0]]
        assert both.max.tolist() == [[3.0], [5.0]]
        assert [e.item() for e in gb.aminmax(x)] == [1.0, 5.0]

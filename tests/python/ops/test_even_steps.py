"""Numbers in even steps, tensors that take after another, and functions made of others."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestEvenSteps:
    @pytest.mark.parametrize("count", [0, 1, 2, 5, 1000])
    @pytest.mark.parametrize(("start", "end"), [(0, 1), (-3.5, 2.25), (7, 7), (1, -1)])
    def test_are_numpys(self, start, end, count):
        x = gb.linspace(start, end, count, dtype=gb.float64)

        np.testing.assert_allclose(x.numpy(), np.linspace(start, end, count), rtol=0, atol=1e-15)
        assert x.numpy()[-1:].tolist() == [end if count > 1 else start][: min(count, 1)]

    @pytest.mark.parametrize("start", [float("inf"), -0.5, 3.0])
    def test_of_one_is_the_start_wherever_the_end_is(self, start):
        assert gb.linspace(start, start, 1).tolist() == [start]
        assert gb.linspace(start, 9.0, 1, dtype=gb.float64).tolist() == [start]

    @pytest.mark.parametrize("count", [16_384, 16_385, 40_000])
    def test_of_many_go_on_from_part_to_part(self, count):
        x = gb.linspace(-1, 1, count, dtype=gb.float64)

        np.testing.assert_allclose(x.numpy(), np.linspace(-1, 1, count), rtol=0, atol=1e-15)

    @pytest.mark.parametrize(("start", "end"), [(-1, 1), (0, 3.14159), (20, 8000)])
    @pytest.mark.parametrize("count", [7, 24, 225])
    def test_are_pytorchs_to_the_last_bit(self, start, end, count):
        first, last = np.float32(start), np.float32(end)
        step, place = np.float64((last - first) / np.float32(count - 1)), np.arange(count)
        ahead, back = first + step * place, last - step * (count - 1 - place)

        x = gb.linspace(start, end, count)

        expected = np.where(place < count // 2, ahead, back).astype(np.float32)
        assert x.numpy().tolist() == expected.tolist()

    def test_are_powers_where_they_are_exponents(self):
        assert gb.logspace(0, 3, 4).tolist() == [1, 10, 100, 1000]
        assert gb.logspace(0, 4, 3, base=2, dtype=gb.int64).tolist() == [1, 4, 16]

    def test_are_cut_off_in_an_integer_dtype(self):
        assert gb.linspace(0, 9, 5, dtype=gb.int64).tolist() == [0, 2, 4, 6, 9]
        assert gb.linspace(end=2, start=1, steps=2).dtype == gb.float32

    def test_are_not_fewer_than_none(self):
        with pytest.raises(gb.ShapeError, match=r"^linspace: steps -1; 0 or more"):
            gb.linspace(0, 1, -1)

    def test_fit_into_their_dtype(self):
        with pytest.raises(
            gb.DTypeError, match=r"^linspace: the number -3 does not fit into uint8"
        ):
            gb.linspace(-3, 7, 11, dtype=gb.uint8)
        with pytest.raises(gb.DTypeError, match=r"^logspace: the number 1000 .* into int8"):
            gb.logspace(0, 3, 4, dtype=gb.int8)

    def test_are_of_the_default_dtype(self):
        gb.set_default_dtype(gb.float64)
        try:
            assert gb.linspace(0, 1, 3).dtype == gb.float64
        finally:
            gb.set_default_dtype(gb.float32)


class TestNewTensors:
    def test_take_after_another(self):
        x = gb.ones(2, dtype=gb.float64)

        assert x.new_zeros(2, 3).dtype == gb.float64
        assert x.new_ones((2,), dtype=gb.int32).tolist() == [1, 1]
        assert x.new_empty(4, requires_grad=True).requires_grad
        assert x.new_full((2,), 3).tolist() == [3.0, 3.0]
        assert x.new_tensor([[1, 2]]).dtype == gb.float64

    def test_are_refused_under_their_names(self):
        x = gb.ones(2)

        with pytest.raises(gb.ShapeError, match=r"^new_zeros: .*no size may be negative"):
            x.new_zeros(-1)
        with pytest.raises(TypeError, match=r"^new_tensor: .*of type str"):
            x.new_tensor(["a"])


class TestLogarithmsOfSums:
    def test_know_infinities_and_nan(self):
        inf, nan = float("inf"), float("nan")
        x, y = gb.tensor([inf, inf, -inf, nan, 1.0]), gb.tensor([inf, -inf, -inf, 1.0, -inf])

        expected = [inf, inf, -inf, nan, 1.0]

        np.testing.assert_array_equal(gb.logaddexp(x, y).numpy(), expected)


class TestNumbersForNan:
    @pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16, gb.float32, gb.float64])
    def test_are_the_dtypes_own(self, dtype):
        x = gb.tensor([float("nan"), float("inf"), -float("inf")], dtype=dtype)

        assert x.nan_to_num().tolist() == [0.0, gb.finfo(dtype).max, gb.finfo(dtype).min]


class TestClose:
    def test_knows_infinities_and_nan(self):
        inf, nan = float("inf"), float("nan")
        x = gb.tensor([inf, inf, nan, 1.0, inf])
        y = gb.tensor([inf, -inf, nan, inf, 1.0])

        assert x.isclose(y).tolist() == [True, False, False, False, False]
        assert x.isclose(y, equal_nan=True).tolist() == [True, False, True, False, False]
        assert not gb.allclose(x[3:], y[3:])
        with pytest.raises(gb.ShapeError, match=r"^isclose: rtol -1 .*; neither may be negative"):
            x.isclose(y, rtol=-1)

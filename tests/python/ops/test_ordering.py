"""Order, ranks and counts: NaN and ties, what is asked for besides, mistakes, threads."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard import DTypeError, IndexOutOfRangeError, ShapeError

NAN, INF = float("nan"), float("inf")


def special() -> gb.Tensor:
    return gb.tensor([NAN, 2.0, -0.0, -INF, 0.0, INF, NAN, -3.0])


class TestSort:
    def test_puts_nan_last_and_leaves_equal_elements_in_order(self):
        values, places = special().sort()

        assert places.tolist() == [3, 7, 2, 4, 1, 5, 0, 6]
        assert np.signbit(values.numpy()).tolist() == [True, True, True] + [False] * 5

    def test_descending_puts_nan_first(self):
        assert special().argsort(descending=True).tolist() == [0, 6, 5, 1, 2, 4, 7, 3]
        assert special().topk(3).indices.tolist() == [0, 6, 5]
        assert special().topk(3, largest=False).indices.tolist() == [3, 7, 2]

    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "uint8", "bool"])
    @pytest.mark.parametrize("count", [15, 17, 1000, 1024, 70_000])
    def test_agrees_with_numpy_for_any_length(self, dtype, count):
        array = np.random.default_rng(count).normal(0, 1000, count).astype(dtype)
        x = gb.tensor(array)

        values, places = x.sort(stable=True)

        assert values.tolist() == np.sort(array).tolist()
        assert places.tolist() == np.argsort(array, kind="stable").tolist()
        for k in (1, count // 9, count):
            assert x.topk(k, largest=False).indices.tolist() == places[:k].tolist()
            assert x.kthvalue(max(k, 1)).values.item() == values[max(k, 1) - 1].item()

    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "bool"])
    @pytest.mark.parametrize("count", [1, 2, 3, 10, 32, 33, 128, 129, 700, 1023])
    @pytest.mark.parametrize("rows", [1, 3, 4, 13])
    def test_agrees_with_numpy_for_any_number_of_short_rows(self, dtype, count, rows):
        drawn = np.random.default_rng(count).normal(0, 9, (rows, count))
        array = (drawn.round() if count % 2 else drawn).astype(dtype)
        x = gb.tensor(array.T.copy()).T

        places = np.argsort(array, axis=1, kind="stable")
        values, found = x.sort(dim=1, stable=True)
        assert found.tolist() == places.tolist()
        assert values.tolist() == np.sort(array, axis=1).tolist()
        middle = (count - 1) // 2
        assert x.kthvalue(middle + 1, dim=1).indices.tolist() == places[:, middle].tolist()
        few = max(count // 10, 1)
        assert x.topk(few, largest=False).indices.tolist() == places[:, :few].tolist()

    @pytest.mark.parametrize("rows", [1, 8])
    @pytest.mark.parametrize("dtype", [gb.float64, gb.int64], ids=str)
    def test_tells_elements_apart_that_differ_in_their_last_bits(self, dtype, rows):
        bits = np.random.default_rng(5).integers(0, 40, (rows, 100))
        bits[:, 0] += 1 << 61  # integers lie far apart, too
        x = gb.tensor(bits)
        x = x if dtype is gb.int64 else (x + (1 << 60)).view(gb.float64)

        places = np.argsort(bits, axis=1, kind="stable")
        assert x.argsort(dim=1, stable=True).tolist() == places.tolist()
        assert x.kthvalue(50, dim=1).indices.tolist() == places[:, 49].tolist()
        assert x.median(dim=1).indices.tolist() == places[:, 49].tolist()

    def test_passes_over_what_comes_after_those_it_has(self):
        array = np.random.default_rng(6).normal(size=5000).astype(np.float32)
        array[[70, 4000]] = np.nan
        array[2000:2100] = -np.inf
        descending = np.argsort(np.where(np.isnan(array), np.inf, array), kind="stable")[::-1]

        for k in (1, 5, 40):
            assert gb.tensor(array).topk(k, largest=False).indices.tolist() == [
                *range(2000, 2000 + k)
            ]
            found = gb.tensor(array).topk(k).indices.tolist()
            assert sorted(found[:2]) == [70, 4000][:k]
            assert found[2:] == descending[2:k].tolist()
        strided = gb.tensor(np.repeat(array, 2))[::2]
        assert strided.topk(5).indices.tolist() == gb.tensor(array).topk(5).indices.tolist()

    @pytest.mark.parametrize(
        "make", [np.arange, lambda n: -np.arange(n), np.zeros], ids=["rising", "falling", "equal"]
    )
    def test_chooses_from_rows_that_are_in_order_already(self, make):
        x = gb.tensor(make(5000).astype(np.float32))

        assert x.kthvalue(1234).values.item() == np.sort(x.numpy())[1233]
        assert x.topk(300).values.tolist() == np.sort(x.numpy())[::-1][:300].tolist()

    def test_is_the_same_with_any_number_of_threads(self):
        x = gb.tensor(np.random.default_rng(3).integers(0, 50, (64, 5000)), dtype=gb.float32)
        before, found = gb.get_num_threads(), []
        try:
            for threads in (1, 3):
                gb.set_num_threads(threads)
                found.append((x.argsort(1).tolist(), x.median(1).indices.tolist()))
        finally:
            gb.set_num_threads(before)

        assert found[0] == found[1]


class TestRanks:
    def test_of_nan(self):
        x = special()

        assert np.isnan(x.median().item())
        assert x.median(0).indices.item() == 0
        assert x.nanmedian().item() == 0.0
        assert np.isnan(gb.tensor([NAN, NAN]).nanmedian().item())
        assert x.kthvalue(6).values.item() == INF
        assert np.isnan(x.kthvalue(7).values.item())

    def test_of_nothing_are_nan_and_along_a_dim_refused(self):
        for median in (gb.median, gb.nanmedian):
            assert math.isnan(median(gb.zeros(0, 2, dtype=gb.float64)).item())
            assert median(gb.zeros(0)).dtype == gb.float32
            with pytest.raises(gb.IndexOutOfRangeError, match="no elements along dim 0"):
                median(gb.zeros(0), 0)
            with pytest.raises(gb.IndexOutOfRangeError, match="no elements"):
                median(gb.zeros(0, dtype=gb.int64))

    def test_quantiles_of_nan(self):
        x = gb.tensor([[1.0, NAN, 3.0], [1.0, 2.0, 3.0], [NAN, NAN, NAN]])

        np.testing.assert_array_equal(x.quantile(0.5, 1).numpy(), [NAN, 2, NAN])
        np.testing.assert_array_equal(x.nanquantile(0.5, 1).numpy(), [2, 2, NAN])

    def test_quantiles_at_several_ranks_come_first(self):
        x = gb.tensor(np.random.default_rng(1).normal(size=(3, 5)))
        q = gb.tensor([0.0, 0.3, 1.0], dtype=gb.float64)

        for dim, keepdim in ((None, False), (None, True), (0, False), (1, True)):
            got = x.quantile(q, dim, keepdim)
            expected = np.quantile(x.numpy(), q.numpy(), dim, keepdims=keepdim)
            np.testing.assert_allclose(got.numpy(), expected, rtol=1e-14)

    def test_running_extrema_keep_nan(self):
        values, places = gb.tensor([1.0, NAN, 2.0]).cummax(0)

        np.testing.assert_array_equal(values.numpy(), [1, NAN, NAN])
        assert places.tolist() == [0, 1, 1]


class TestOfMoreThanMemoryHolds:
    @pytest.mark.parametrize("of", ["mode", "median"])
    def test_a_slice_is_refused(self, of):
        slice_of_one = gb.zeros(1, dtype=gb.int8).expand(2**60)

        with pytest.raises(gb.OutOfMemoryError, match="the process has no memory"):
            getattr(slice_of_one, of)()


class TestUnique:
    @pytest.mark.parametrize("dim", range(4))
    def test_orders_slices_as_they_lie(self, dim):
        array = np.random.default_rng(0).integers(0, 2, (3, 2, 4, 5))

        found = gb.unique(gb.tensor(array), dim=dim)

        np.testing.assert_array_equal(found.numpy(), np.unique(array, axis=dim))

    @pytest.mark.parametrize("dim", [None, 0, 1])
    def test_tells_where_and_how_often(self, dim):
        array = np.random.default_rng(2).integers(0, 2, (6, 3))
        expected = np.unique(array, return_inverse=True, return_counts=True, axis=dim)

        found = gb.tensor(array).unique(return_inverse=True, return_counts=True, dim=dim)

        assert [x.tolist() for x in found[::2]] == [x.tolist() for x in expected[::2]]
        assert found[1].reshape(-1).tolist() == expected[1].ravel().tolist()
        assert found[1].shape == (array.shape if dim is None else (array.shape[dim],))

    @pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64])
    @pytest.mark.parametrize("count", [3000, 200_000])
    def test_of_integers_close_together_or_far_apart(self, dtype, count):
        ends = np.iinfo(dtype)
        near = min(1000, ends.max - ends.min)
        for low, high in [(ends.min, ends.min + near), (ends.max - near, ends.max)]:
            array = np.random.default_rng(1).integers(low, high, count, dtype, endpoint=True)
            for given in (array, array[::-2], np.append(array, dtype(0))):
                expected = np.unique(given, return_inverse=True, return_counts=True)
                x = gb.tensor(given.copy())
                found = x.unique(return_inverse=True, return_counts=True)
                for mine, wanted in zip(found, expected, strict=True):
                    np.testing.assert_array_equal(mine.numpy(), wanted)
                assert found[0].dtype == x.dtype
                assert x.unique().tolist() == expected[0].tolist()
                assert x.unique(return_counts=True)[1].tolist() == expected[2].tolist()

    def test_of_bools_tells_where_and_how_often(self):
        x = gb.tensor([True, False, True] * 2000)

        values, inverse, counts = x.unique(return_inverse=True, return_counts=True)

        assert values.tolist() == [False, True]
        assert counts.tolist() == [2000, 4000]
        assert gb.equal(values[inverse], x)

    def test_consecutive_tells_where_and_how_often(self):
        x = gb.tensor([1, 1, 2, 2, 3, 1, 1, 2])

        found = x.unique_consecutive(return_inverse=True, return_counts=True)

        told = [[1, 2, 3, 1, 2], [0, 0, 1, 1, 2, 3, 3, 4], [2, 2, 1, 2, 1]]
        assert [each.tolist() for each in found] == told


class TestCounts:
    def test_bincount_weighs(self):
        x, weights = gb.tensor([0, 2, 2]), gb.tensor([0.5, 1.5, 2.0])

        assert x.bincount(weights).tolist() == [0.5, 0.0, 3.5]
        assert x.bincount(minlength=5).tolist() == [1, 0, 2, 0, 0]
        assert x.bincount(weights).dtype == gb.float32

    def test_of_the_largest_number_are_refused(self):
        with pytest.raises(gb.IndexOutOfRangeError, match="2\\^63 bins"):
            gb.tensor([2**63 - 1]).bincount()

    def test_histc_takes_the_range_of_the_elements(self):
        assert gb.tensor([1.0, 2.0, 2.0, 5.0]).histc(4).tolist() == [1, 2, 0, 1]
        assert gb.tensor([3.0, 3.0]).histc(2).tolist() == [0, 2]
        assert gb.tensor([1.0, NAN, 9.0]).histc(2, 0, 4).tolist() == [1, 0]

    def test_histc_counts_beyond_what_its_dtype_counts_to(self):
        assert gb.zeros(5000, dtype=gb.float16).histc(1).tolist() == [5000]

    @pytest.mark.parametrize("right", [False, True])
    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "float16"])
    @pytest.mark.parametrize("count", [0, 1, 2, 17, 1024, 1025])
    def test_searchsorted_finds_what_numpy_finds(self, count, dtype, right):
        rng = np.random.default_rng(count)
        sorted_row = np.sort((rng.normal(size=count) * 40 + 100).astype(dtype))
        values = (rng.normal(size=1030) * 50 + 100).astype(dtype)
        values[: min(count, 500)] = sorted_row[:500]  # many that are there
        side = "right" if right else "left"

        for some in (values, values[:3], values[::3]):
            found = gb.searchsorted(gb.tensor(sorted_row), gb.tensor(some), right=right)
            np.testing.assert_array_equal(
                found.numpy(), np.searchsorted(sorted_row, some, side=side)
            )
        apart = gb.stack([gb.tensor(sorted_row)] * 2, 1)[:, 0]
        found = gb.searchsorted(apart, gb.tensor(values), right=right)
        np.testing.assert_array_equal(found.numpy(), np.searchsorted(sorted_row, values, side=side))

    def test_searchsorted_goes_left_or_right(self):
        a = gb.tensor([[1, 3, 3, 5], [2, 2, 2, 2]])

        assert gb.searchsorted(a, gb.tensor([[3], [2]])).tolist() == [[1], [0]]
        assert gb.searchsorted(a, gb.tensor([[3], [2]]), right=True).tolist() == [[3], [4]]
        assert gb.searchsorted(a[0], 3, side="right").item() == 3
        assert gb.bucketize(4.0, a[0], out_int32=True).dtype == gb.int32

    def test_isin_may_be_inverted(self):
        assert gb.isin(gb.tensor([1, 2]), gb.tensor([2]), invert=True).tolist() == [True, False]
        assert gb.isin(gb.tensor([NAN]), gb.tensor([NAN])).tolist() == [False]


class TestReductionsMadeOfOthers:
    @pytest.mark.parametrize("spread", [gb.var, gb.std, gb.var_mean, gb.std_mean])
    def test_take_unbiased_for_a_correction(self, spread):
        x = gb.tensor([[1.0, 2.0, 4.0], [3.0, 3.0, 9.0]])

        def numbers(result):
            return [it.tolist() for it in result] if isinstance(result, tuple) else result.tolist()

        assert numbers(spread(x, unbiased=False)) == numbers(spread(x, correction=0))
        assert numbers(spread(x, True)) == numbers(spread(x))
        assert numbers(spread(x, 1, False, True)) == numbers(
            spread(x, 1, correction=0, keepdim=True)
        )

    def test_pass_nan_over(self):
        x = gb.tensor([1.0, NAN, 3.0], requires_grad=True)

        (x.nansum() + x.nanmean()).backward()

        assert x.grad.tolist() == [1.5, 0, 1.5]

    def test_a_norm_of_zero_has_no_slope(self):
        x = gb.zeros(3, requires_grad=True)

        x.norm().backward()

        assert x.grad.tolist() == [0, 0, 0]
        assert gb.tensor([0.0, 2.0, 3.0]).norm(0).item() == 2
        assert gb.tensor([3.0, 4.0]).norm("fro").item() == 5

    def test_a_running_product_is_exact_at_zeros(self):
        x = gb.tensor([2.0, 0.0, 3.0, 0.0], requires_grad=True)

        x.cumprod(0).sum().backward()

        assert x.grad.tolist() == [1, 8, 0, 0]

    def test_differences_may_be_prepended(self):
        x = gb.tensor([1, 4])

        assert x.diff(prepend=gb.tensor([0]), append=gb.tensor([9])).tolist() == [1, 3, 5]
        assert gb.tensor([True, True, False]).diff().tolist() == [False, True]


MISTAKES: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "sort": (lambda x: x.sort(2), IndexOutOfRangeError, "dim 2 of a tensor of 2 dims"),
    "topk": (lambda x: x.topk(4), ShapeError, "4 elements along dim 1 of size 3; 0 to 3"),
    "kthvalue": (lambda x: x.kthvalue(0), ShapeError, "k 0 along dim 1 of size 3; 1 to 3"),
    "median": (lambda x: x[:, :0].median(1), IndexOutOfRangeError, "no elements along dim 1"),
    "mode": (lambda x: x[:0].mode(0), IndexOutOfRangeError, "no elements along dim 0"),
    "quantile": (lambda x: x.quantile(1.5), ShapeError, "q 1.5; 0 to 1 is needed"),
    "quantile dtype": (lambda x: x.long().quantile(0.5), DTypeError, "int64 and int64 of q"),
    "quantile dims": (lambda x: x.quantile(x), ShapeError, r"q of sizes \[2, 3\]"),
    "bincount": (lambda x: x.bincount(), DTypeError, "float32 of sizes"),
    "bincount sign": (lambda x: x[0].long().sub(1).bincount(), IndexOutOfRangeError, "number -1"),
    "bincount weights": (lambda x: x[0].long().bincount(x), ShapeError, "weights of sizes"),
    "histc": (lambda x: x.histc(0), ShapeError, "0 bins; at least one"),
    "histc of infinite elements": (lambda x: (x / 0).histc(3), ShapeError, "finite ones"),
    "histc range": (lambda x: x.histc(2, 1, 0), ShapeError, "from 1 to 0"),
    "searchsorted": (lambda x: gb.searchsorted(x, x[:1]), ShapeError, r"sizes \[2, 3\] for"),
    "bucketize": (lambda x: gb.bucketize(x, x), ShapeError, "one dim is needed"),
    "diff": (lambda x: x.diff(-1), ShapeError, "n -1; 0 or more"),
    "norm": (lambda x: x.long().norm(), DTypeError, "int64; a floating one"),
    "unique": (lambda x: x[:, :0].unique(dim=0), ShapeError, "without elements"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refused(name):
    call, error, told = MISTAKES[name]
    x = gb.zeros(2, 3)
    before = gb.memory.live()

    with pytest.raises(error, match=rf"^{name.split()[0]}: .*{told}"):
        call(x)

    assert gb.memory.live() == before

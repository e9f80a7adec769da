"""Random tensors: what a seed repeats, and how they are distributed."""

from __future__ import annotations

from collections.abc import Iterator

import garboard as gb
import numpy as np
import pytest

COUNT = 200_000
FLOATS = [gb.float32, gb.float64]


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    gb.manual_seed(1234)
    yield
    gb.manual_seed(0)


def check_moments(x: gb.Tensor, mean: float, deviation: float) -> None:
    values = x.numpy().astype(float)
    error = 5 * deviation / np.sqrt(values.size)  # five standard errors: once in 3.5 million
    assert abs(values.mean() - mean) < error
    assert abs(values.std() - deviation) < 2 * error


class TestASeed:
    def test_repeats_every_kind_of_draw(self):
        def draw() -> list[list[float]]:
            gb.manual_seed(7)
            drawn = [gb.rand(5), gb.randn(5), gb.randint(0, 100, (5,)), gb.zeros(5).uniform_()]
            drawn += [gb.zeros(5).normal_(), gb.dropout(gb.ones(5)), gb.rand_like(gb.ones(5))]
            return [x.tolist() for x in drawn]

        assert draw() == draw()

    def test_gives_other_numbers_than_another_seed(self):
        first = gb.rand(8).tolist()

        gb.random.manual_seed(1235)

        assert gb.rand(8).tolist() != first

    def test_never_gives_the_same_numbers_twice(self):
        drawn = gb.cat([gb.rand(1001, dtype=gb.float64) for _ in range(20)])

        assert len(set(drawn.tolist())) == 20 * 1001

    def test_does_not_depend_on_the_layout_that_is_filled(self):
        dense = gb.zeros(4, 3)
        strided = gb.zeros(3, 4).T

        gb.manual_seed(3)
        dense.normal_()
        gb.manual_seed(3)
        strided.normal_()

        assert strided.tolist() == dense.tolist()


class TestUniform:
    @pytest.mark.parametrize("dtype", FLOATS)
    def test_is_spread_evenly_over_the_unit_interval(self, dtype):
        x = gb.rand(COUNT, dtype=dtype)

        assert x.dtype == dtype
        assert x.min().item() >= 0
        assert x.max().item() < 1
        check_moments(x, 0.5, 1 / np.sqrt(12))
        tenths = np.histogram(x.numpy(), bins=10, range=(0, 1))[0]
        assert np.abs(tenths - COUNT / 10).max() < 5 * np.sqrt(COUNT / 10)

    def test_fills_an_interval_in_place(self):
        x = gb.zeros(COUNT)

        assert x.uniform_(-3, 5) is x

        assert x.min().item() >= -3
        assert x.max().item() < 5
        check_moments(x, 1, 8 / np.sqrt(12))


class TestNormal:
    @pytest.mark.parametrize("dtype", FLOATS)
    def test_has_the_moments_and_tails_of_the_distribution(self, dtype):
        x = gb.randn(COUNT, dtype=dtype)

        check_moments(x, 0, 1)
        assert abs((x.abs() > 2).sum().item() / COUNT - 0.0455) < 0.003
        assert abs((x**3).mean().item()) < 0.05

    def test_is_shifted_and_scaled_in_place(self):
        x = gb.zeros(COUNT, dtype=gb.float64)

        assert x.normal_(3, 0.5) is x

        check_moments(x, 3, 0.5)

    def test_like_follows_the_model(self):
        model = gb.zeros(3, 2, dtype=gb.float64)

        assert gb.randn_like(model).shape == (3, 2)
        assert gb.rand_like(model).dtype == gb.float64


class TestIntegers:
    def test_are_spread_evenly_over_the_range(self):
        x = gb.randint(-2, 3, (COUNT,))

        assert x.dtype == gb.int64
        values, counts = np.unique(x.numpy(), return_counts=True)
        assert values.tolist() == [-2, -1, 0, 1, 2]
        assert np.abs(counts - COUNT / 5).max() < 5 * np.sqrt(COUNT / 5)

    @pytest.mark.parametrize("count", [3 << 30, (1 << 32) - 1, 1 << 32, 1 << 40])
    def test_of_large_ranges_are_as_likely_in_every_part(self, count):
        x = gb.randint(count, (30_000,))

        thirds = (x.double() * 3 / count).long()

        assert (thirds.bincount() - 10_000).abs().max() < 400  # five deviations

    def test_start_at_zero_where_one_bound_is_given(self):
        assert gb.randint(1, (3,)).tolist() == [0, 0, 0]
        assert gb.randint(10, (2, 2), dtype=gb.int32).dtype == gb.int32


class TestPermutations:
    @pytest.mark.parametrize("n", [0, 1, 2, 7, 1000])
    def test_hold_every_number_once(self, n):
        order = gb.randperm(n)

        assert order.dtype == gb.int64
        assert sorted(order.tolist()) == list(range(n))

    def test_are_all_as_likely(self):
        gb.manual_seed(3)
        counts: dict[tuple[int, ...], int] = {}
        for _ in range(12_000):
            with gb.dispose_scope():
                order = tuple(gb.randperm(4).tolist())
            counts[order] = counts.get(order, 0) + 1

        assert len(counts) == 24
        expected = 12_000 / 24
        assert max(abs(count - expected) for count in counts.values()) < 5 * np.sqrt(expected)

    def test_follow_the_seed(self):
        gb.manual_seed(8)
        first, second = gb.randperm(50).tolist(), gb.randperm(50).tolist()
        gb.manual_seed(8)

        assert gb.randperm(50).tolist() == first
        assert first != second

    def test_refuse_what_cannot_be(self):
        with pytest.raises(gb.ShapeError, match=r"^randperm: n -1; 0 or more is needed"):
            gb.randperm(-1)
        assert gb.randperm(256, dtype=gb.uint8).dtype == gb.uint8
        for n, dtype in ((257, gb.uint8), (2**24 + 1, gb.float32), (1, gb.bool)):
            with pytest.raises(gb.DTypeError, match=rf"^randperm: dtype .* for {n} numbers; .+"):
                gb.randperm(n, dtype=dtype)


class TestDropout:
    def test_zeroes_a_share_and_scales_the_rest(self):
        x = gb.dropout(gb.ones(COUNT), 0.25)

        values = x.numpy()
        assert set(np.unique(values)) == {0, np.float32(1 / 0.75)}
        assert abs((values == 0).mean() - 0.25) < 0.006

    def test_passes_the_gradient_where_it_kept_elements(self):
        x = gb.ones(100, requires_grad=True)

        y = gb.dropout(x, 0.5)
        y.sum().backward()

        assert x.grad.tolist() == y.detach().tolist()

    def test_is_an_alias_when_not_training(self):
        x = gb.ones(4)

        y = gb.dropout(x, 0.5, training=False)

        assert y is not x
        assert y.data_ptr() == x.data_ptr()

    def test_of_nothing_draws_nothing_and_is_an_alias(self):
        x = gb.ones(4)
        gb.manual_seed(5)
        wanted = gb.rand(3).tolist()

        gb.manual_seed(5)
        y = gb.dropout(x, 0.0)

        assert y.data_ptr() == x.data_ptr()
        assert gb.rand(3).tolist() == wanted

    def test_may_keep_or_drop_everything(self):
        assert gb.dropout(gb.ones(3), 0.0).tolist() == [1, 1, 1]
        assert gb.dropout(gb.ones(3), 1.0).tolist() == [0, 0, 0]

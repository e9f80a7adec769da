"""Tensors that are drawn for tests: within their bounds, of every dtype."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard.testing import make_tensor

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

INTEGERS = [gb.uint8, gb.int8, gb.int16, gb.int32, gb.int64]
FLOATS = [gb.float16, gb.bfloat16, gb.float32, gb.float64]
COMPLEX = [gb.complex64, gb.complex128]


@pytest.mark.parametrize("dtype", [gb.bool, *INTEGERS, *FLOATS, *COMPLEX], ids=str)
class TestEveryDType:
    def test_stays_within_the_usual_bounds(self, dtype):
        x = make_tensor(500, dtype=dtype)

        parts = gb.view_as_real(x) if dtype.is_complex else x
        least, most = (0, 1) if dtype is gb.bool else (-9, 9)
        assert x.dtype is dtype
        assert min(parts.flatten().tolist()) >= (0 if dtype is gb.uint8 else least)
        assert max(parts.flatten().tolist()) <= most
        assert len(set(x.tolist())) > 1

    def test_takes_bounds_beyond_its_own(self, dtype):
        x = make_tensor((20, 5), dtype=dtype, low=-1e60, high=1e60)

        assert x.shape == (20, 5)
        assert bool(gb.isfinite(x).all())

    def test_lies_apart_where_that_is_asked_for(self, dtype):
        x = make_tensor(3, 4, dtype=dtype, noncontiguous=True)

        assert not x.is_contiguous()
        assert make_tensor((), dtype=dtype, noncontiguous=True).is_contiguous()

    def test_has_no_zero_where_none_is_wanted(self, dtype):
        x = make_tensor(400, dtype=dtype, low=0, high=2, exclude_zero=True, noncontiguous=True)

        assert bool((x != 0).all())


class TestMakingATensor:
    def test_takes_whole_bounds_of_whole_numbers(self):
        x = make_tensor(300, dtype=gb.int16, low=1.5, high=3.5)

        assert set(x.tolist()) == {2, 3}

    def test_gives_a_leaf_that_requires_grad(self):
        x = make_tensor((2, 3), dtype=gb.float32, requires_grad=True, noncontiguous=True)

        assert x.is_leaf
        assert x.requires_grad

    def test_takes_an_order_of_elements(self):
        x = make_tensor(1, 2, 3, 4, dtype=gb.float32, memory_format=gb.channels_last)

        assert x.shape == (1, 2, 3, 4)

    def test_depends_on_the_seed_alone(self):
        gb.manual_seed(5)
        first = make_tensor(4, dtype=gb.float32).tolist()
        gb.manual_seed(5)

        assert make_tensor(4, dtype=gb.float32).tolist() == first

    @pytest.mark.parametrize(
        ("options", "error", "text"),
        [
            ({"low": 3, "high": 3}, ValueError, "low 3 and high 3"),
            ({"low": float("nan")}, ValueError, "low nan"),
            ({"low": 300, "high": 400, "dtype": gb.int8}, ValueError, "numbers of the dtype"),
            ({"high": -1, "low": -2, "dtype": gb.uint8}, ValueError, "low -2 and high -1"),
            ({"low": "a"}, TypeError, "low is of type str"),
            ({"requires_grad": True, "dtype": gb.int8}, ValueError, "requires_grad of garboard.i"),
            ({"requires_grad": 3}, TypeError, "requires_grad is of type int"),
            (
                {"noncontiguous": True, "memory_format": gb.contiguous_format},
                ValueError,
                "noncontiguous with memory_format",
            ),
            ({"memory_format": 3}, TypeError, "memory_format is of type int"),
            ({"dtype": 3}, TypeError, "dtype"),
        ],
    )
    def test_refuses_what_cannot_be(self, options, error, text):
        with pytest.raises(error, match=text):
            make_tensor(2, **{"dtype": gb.float32, **options})

    def test_refuses_what_are_no_sizes(self):
        with pytest.raises(gb.ShapeError, match="make_tensor: shape -1"):
            make_tensor(-1, dtype=gb.float32)
        with pytest.raises(TypeError, match="make_tensor: shape"):
            make_tensor("2", dtype=gb.float32)

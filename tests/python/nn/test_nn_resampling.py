"""Planes at other sizes by wide filters, of bytes and of integers."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

interpolate = gb.nn.functional.interpolate


def triangle(distance: np.ndarray) -> np.ndarray:
    return np.maximum(1 - np.abs(distance), 0)


def cubic(distance: np.ndarray) -> np.ndarray:
    x = np.abs(distance)
    near = 1.5 * x**3 - 2.5 * x**2 + 1
    far = -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def shrunk(x: np.ndarray, axis: int, places: int, shape, reach: int) -> np.ndarray:
    """By the definition: a filter as wide as a step, over what of it lies inside."""
    size = x.shape[axis]
    step = size / places
    stretch = max(step, 1.0)
    parts = []
    for place in range(places):
        center = (place + 0.5) * step
        first = max(int(center - reach * stretch + 0.5), 0)
        end = min(int(center + reach * stretch + 0.5), size)
        weight = shape((np.arange(first, end) + 0.5 - center) / stretch)
        part = np.take(x, range(first, end), axis)
        parts.append(np.tensordot(part, weight / weight.sum(), ((axis,), (0,))))
    return np.stack(parts, axis)


FILTERS = [("bilinear", triangle, 1), ("bicubic", cubic, 2)]


@pytest.mark.parametrize(("mode", "shape", "reach"), FILTERS)
@pytest.mark.parametrize("sizes", [(5, 7), (20, 3), (9, 30)])
def test_without_aliases_each_place_is_the_filter_over_its_share(mode, shape, reach, sizes):
    x = np.random.default_rng(1).standard_normal((2, 3, 17, 11))

    found = interpolate(gb.tensor(x), sizes, mode=mode, antialias=True)

    expected = shrunk(shrunk(x, 3, sizes[1], shape, reach), 2, sizes[0], shape, reach)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("mode", "shape", "reach"), FILTERS)
def test_a_long_line_is_sampled_in_bands_like_a_short_one(mode, shape, reach):
    x = np.random.default_rng(3).standard_normal((1, 2, 403, 311))

    found = interpolate(gb.tensor(x), (97, 120), mode=mode, antialias=True)
    recorded = interpolate(gb.tensor(x, requires_grad=True), (97, 120), mode=mode, antialias=True)

    expected = shrunk(shrunk(x, 3, 120, shape, reach), 2, 97, shape, reach)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(recorded.detach().numpy(), expected, rtol=1e-11, atol=1e-12)


def test_a_shrunken_edge_weighs_what_lies_inside():
    x = gb.tensor([[[[7.0, 0.0, 0.0, 0.0]]]])

    found = interpolate(x, (1, 2), mode="bilinear", antialias=True)

    # Weights 0.75, 0.75, 0.25 of the first three elements, over their sum.
    assert found.flatten().tolist() == [3.0, 0.0]


def test_what_grows_has_no_aliases_to_lose():
    x = gb.rand(1, 2, 4, 5)

    wide = interpolate(x, (9, 11), mode="bilinear", antialias=True)

    assert gb.allclose(wide, interpolate(x, (9, 11), mode="bilinear"), atol=1e-6)


def test_wide_filters_have_gradients_of_both_orders():
    x = gb.tensor(np.random.default_rng(2).standard_normal((1, 1, 7, 5))).requires_grad_()

    def sample(given):
        return interpolate(given, (3, 4), mode="bicubic", antialias=True).square()

    assert gb.autograd.gradcheck(sample, (x,))
    assert gb.autograd.gradgradcheck(sample, (x,))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("sizes", [(5, 7), (17, 23), (40, 11)])
def test_bytes_are_sampled_dim_by_dim_and_rounded(mode, antialias, sizes):
    x = np.random.default_rng(3).integers(0, 256, (2, 3, 17, 11)).astype(np.uint8)

    found = interpolate(gb.tensor(x), sizes, mode=mode, antialias=antialias)

    once = gb.tensor(x.astype(np.float64))
    for at in ((17, sizes[1]), sizes):  # the last dim first
        once = interpolate(once, at, mode=mode, antialias=antialias).add(0.5).floor().clamp(0, 255)
    apart = (found.long() - once.long()).abs()
    assert found.dtype == gb.uint8
    assert apart.amax().item() <= 1
    assert (apart > 0).sum().item() <= apart.numel() // 40  # ties that the weights' bits decide


def test_bytes_halfway_go_up():
    x = gb.tensor([[[[0, 1], [2, 255]]]], dtype=gb.uint8)

    found = interpolate(x, (2, 3), mode="bilinear", align_corners=True)

    assert found.tolist() == [[[[0, 1, 1], [2, 129, 255]]]]


@pytest.mark.parametrize("dtype", [gb.uint8, gb.int32, gb.int64, gb.bool])
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
def test_nearest_elements_are_taken_of_any_dtype(dtype, mode):
    numbers = gb.arange(2 * 5 * 4).reshape(1, 2, 5, 4)
    x = numbers.to(dtype)

    found = interpolate(x, (3, 9), mode=mode)

    assert found.dtype == dtype
    assert gb.equal(found, interpolate(numbers.double(), (3, 9), mode=mode).to(dtype))


def test_nearest_elements_of_an_image_stay_where_a_factor_adds_none():
    x = gb.arange(32.0).reshape(1, 2, 4, 4)

    assert gb.equal(interpolate(x, scale_factor=1.1), x)
    assert interpolate(x, scale_factor=2.2)[0, 0, 0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    of_rows = interpolate(x[0], scale_factor=1.1)[0, 0].tolist()  # of one dim the factor counts
    assert of_rows == [0, 0, 1, 2]


def test_half_types_are_rounded_once():
    x = gb.rand(1, 1, 16, 16).bfloat16()

    found = interpolate(x, (5, 5), mode="bilinear", antialias=True)

    wide = interpolate(x.float(), (5, 5), mode="bilinear", antialias=True)
    assert gb.equal(found, wide.bfloat16())


def test_sampling_leaves_nothing_behind_and_returns_new_memory():
    x = gb.rand(1, 1, 4, 4)
    byte = (x * 255).byte()

    with gb.leaks.no_leaks():
        interpolate(x, (2, 3), mode="bicubic", antialias=True)
        same = interpolate(byte, (4, 4), mode="bilinear")
        assert gb.equal(same, byte)
        assert same.data_ptr() != byte.data_ptr()
        del same


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda x: interpolate(x, 2, antialias=True), ValueError, "'bilinear' or 'bicubic'"),
        (lambda x: interpolate(x.int(), 2, mode="bilinear"), gb.DTypeError, "or uint8"),
        (lambda x: interpolate(x, 0, mode="bicubic", antialias=True), gb.ShapeError, "at least 1"),
        (lambda x: interpolate(x, 2, mode="bicubic", antialias=2), TypeError, "antialias"),
    ],
)
def test_what_cannot_be_is_refused(call, error, told):
    with pytest.raises(error, match=told):
        call(gb.ones(1, 1, 4, 4))


def test_a_wide_filter_makes_one_place_where_corners_are_kept():
    x = gb.arange(16.0).reshape(1, 1, 4, 4)

    made = gb.nn.functional.interpolate(
        x, scale_factor=0.3, mode="bicubic", align_corners=True, antialias=True
    )

    assert made.shape == (1, 1, 1, 1)
    assert made.isfinite().all()

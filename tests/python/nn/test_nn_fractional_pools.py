"""Max pools whose windows are drawn."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

functional = gb.nn.functional
POOLS = {2: functional.fractional_max_pool2d, 3: functional.fractional_max_pool3d}


def firsts(share: float, size: int, taps: int, places: int) -> list[int]:
    """Where windows begin, by the formula of the documentation."""
    slope = (size - taps) / (places - 1) if places > 1 else 0.0
    begin = [int((i + share) * slope) - int(share * slope) for i in range(places)]
    return [*begin[:-1], size - taps]


def reference(x: np.ndarray, samples: np.ndarray, taps: tuple[int, ...], places: tuple[int, ...]):
    dims = len(taps)
    order = (1, 0) if dims == 2 else (0, 1, 2)
    values = np.empty((*x.shape[:2], *places), x.dtype)
    numbers = np.empty(values.shape, np.int64)
    for n, c in np.ndindex(*x.shape[:2]):
        drawn = [samples[n, c, order[d]] for d in range(dims)]
        begin = [firsts(drawn[d], x.shape[2 + d], taps[d], places[d]) for d in range(dims)]
        for place in np.ndindex(*places):
            at = tuple(slice(begin[d][place[d]], begin[d][place[d]] + taps[d]) for d in range(dims))
            window = x[(n, c, *at)]
            best = np.unravel_index(window.argmax(), window.shape)
            values[(n, c, *place)] = window[best]
            where = tuple(part.start + one for part, one in zip(at, best, strict=True))
            numbers[(n, c, *place)] = np.ravel_multi_index(where, x.shape[2:])
    return values, numbers


CASES = [
    ((2, 3, 9, 7), (2, 3), (4, 3)),
    ((1, 2, 8, 8), (2, 2), (5, 1)),
    ((2, 2, 6, 7, 8), (2, 3, 1), (3, 2, 5)),
]


@pytest.mark.parametrize(("sizes", "taps", "places"), CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_places_take_the_largest_of_the_windows_that_the_formula_gives(sizes, taps, places, dtype):
    rng = np.random.default_rng(3)
    x = rng.standard_normal(sizes).astype(dtype)
    samples = rng.random((*sizes[:2], len(taps))).astype(dtype)
    values, numbers = reference(x, samples, taps, places)

    found, at = POOLS[len(taps)](
        gb.tensor(x), taps, places, return_indices=True, _random_samples=gb.tensor(samples)
    )

    np.testing.assert_array_equal(found.numpy(), values)
    np.testing.assert_array_equal(at.numpy(), numbers)


def test_the_gradient_goes_to_what_was_taken():
    x = gb.tensor(np.random.default_rng(1).standard_normal((2, 6, 6))).requires_grad_()

    values, at = functional.fractional_max_pool2d(x, 2, 3, return_indices=True)
    values.sum().backward()

    expected = gb.zeros(2, 36, dtype=gb.float64).scatter_add(
        1, at.flatten(1), gb.ones(2, 9, dtype=gb.float64)
    )
    assert x.grad is not None
    assert gb.equal(x.grad.flatten(1), expected)


def test_second_gradients_are_those_of_differences():
    samples = gb.tensor([[[0.3, 0.7]]], dtype=gb.float64)
    x = gb.tensor(np.random.default_rng(2).standard_normal((1, 5, 6))).requires_grad_()

    def pool(given):
        return functional.fractional_max_pool2d(given, 2, 3, _random_samples=samples).square()

    assert gb.autograd.gradcheck(pool, (x,))
    assert gb.autograd.gradgradcheck(pool, (x,))


def test_the_generator_draws_the_places():
    x = gb.rand(1, 1, 40, 40)

    gb.manual_seed(5)
    first, second = (functional.fractional_max_pool2d(x, 2, 23) for _ in range(2))
    gb.manual_seed(5)
    again = functional.fractional_max_pool2d(x, 2, 23)

    assert gb.equal(first, again)
    assert not gb.equal(first, second)


def test_samples_of_a_layer_are_a_buffer_of_which_the_first_ones_are_taken():
    samples = gb.tensor(np.random.default_rng(4).random((2, 3, 2)))
    layer = gb.nn.FractionalMaxPool2d(2, output_size=3, _random_samples=samples)
    x = gb.tensor(np.random.default_rng(5).standard_normal((2, 3, 7, 7)))

    assert [name for name, _ in layer.named_buffers()] == ["_random_samples"]
    assert gb.equal(layer(x[0]), layer(x)[0])
    assert gb.equal(gb.nn.FractionalMaxPool2d(2, 3, None, False, samples[:1])(x[:1]), layer(x)[:1])
    assert not list(gb.nn.FractionalMaxPool2d(2, 3).buffers())


def test_half_types_are_taken():
    x = gb.rand(2, 9, 9).bfloat16()

    found = gb.nn.FractionalMaxPool2d(3, output_ratio=(0.5, 0.4))(x)

    assert found.dtype == gb.bfloat16
    assert found.shape == (2, 4, 3)


def test_layers_leave_nothing_behind():
    layer = gb.nn.FractionalMaxPool3d(2, output_size=(2, 3, 4), return_indices=True)

    with gb.leaks.no_leaks():
        values, at = layer(gb.rand(2, 1, 6, 6, 6))
        assert values.shape == at.shape == (2, 1, 2, 3, 4)
        del values, at


pool = functional.fractional_max_pool2d
WRONG = [
    (lambda: pool(gb.ones(4, 4), 2, 2), gb.ShapeError, "3 or 4 dims"),
    (lambda: pool(gb.ones(0, 4, 4), 2, 2), gb.ShapeError, "may be 0"),
    (lambda: pool(gb.ones(1, 4, 4), 3, 3), gb.ShapeError, "3 windows of 3 along a size of 4"),
    (lambda: pool(gb.ones(1, 4, 4), 0, 3), gb.ShapeError, "kernel_size"),
    (lambda: pool(gb.ones(1, 4, 4), 2), ValueError, "neither output_size nor output_ratio"),
    (lambda: pool(gb.ones(1, 4, 4), 2, 2, 0.5), ValueError, "both output_size and output_ratio"),
    (lambda: pool(gb.ones(1, 4, 4), 2, output_ratio=1.5), ValueError, "output_ratio 1.5"),
    (lambda: pool(gb.ones(1, 4, 4), 2, output_ratio=0.1), gb.ShapeError, "output_size"),
    (lambda: pool(gb.ones(1, 4, 4), 2, output_ratio=(0.5,)), gb.ShapeError, "of 1 numbers"),
    (lambda: pool(gb.ones(1, 4, 4).long(), 2, 2), gb.DTypeError, "a floating one"),
    (
        lambda: pool(gb.ones(1, 4, 4), 2, 2, _random_samples=gb.ones(1, 1, 3)),
        gb.ShapeError,
        "_random_samples of sizes",
    ),
    (
        lambda: pool(gb.ones(1, 4, 4), 2, 2, _random_samples=gb.ones(1, 1, 2).double()),
        gb.DTypeError,
        "that of input",
    ),
    (lambda: gb.nn.FractionalMaxPool2d(2), ValueError, "one of them is needed"),
    (lambda: gb.nn.FractionalMaxPool2d(2, output_ratio=2.0), ValueError, "output_ratio 2.0"),
]


@pytest.mark.parametrize(("call", "error", "told"), WRONG)
def test_what_cannot_be_is_refused(call, error, told):
    with pytest.raises(error, match=told), gb.dispose_scope():
        call()

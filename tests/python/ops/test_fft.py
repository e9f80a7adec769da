"""Fourier transforms beside NumPy's; their gradients beside differences."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

ONE_DIM = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
OF_REALS = ("rfft", "ihfft", "rfft2", "rfftn", "ihfft2", "ihfftn")


# Steps of every kind, matrices of columns and rows, and convolutions; even and odd.
SIZES = [*range(1, 34), 49, 60, 64, 101, 121, 127, 128, 143, 251, 254, 256, 257, 314, 360, 500]
SIZES += [509, 512, 514, 1000, 1021, 1024, 2187, 4096, 5000, 6006, 10007, 15625, 16384, 20014]
SIZES += [65536, 100000, 262147, 3**12, 1 << 20, 1 << 21]


def numbers(dtype, *sizes, seed=0):
    drawn = np.random.default_rng(seed).normal(size=(2, *sizes))
    return (drawn[0] + 1j * drawn[1]).astype(dtype)


def given_to(name, dtype, *sizes):
    array = numbers(dtype, *sizes)
    return array.real.copy() if name in OF_REALS else array


def check(found, expected):
    expected = np.asarray(expected)
    room = 1e-5 if expected.dtype.itemsize <= 8 and expected.dtype != np.float64 else 1e-12
    assert found.shape == expected.shape
    assert str(found.dtype) == f"garboard.{expected.dtype}"
    assert np.allclose(found.detach().numpy(), expected, rtol=room, atol=room * 10)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("norm", [None, "backward", "forward", "ortho"])
@pytest.mark.parametrize("name", ONE_DIM)
def test_transforms_along_a_dim_are_numpys(name, norm, dtype, no_leaks):
    array = given_to(name, dtype, 3, 8, 5)
    x = gb.tensor(array)

    for size in (None, 6, 11):
        for dim in (-1, 0, 1):
            expected = getattr(np.fft, name)(array, size, dim, norm)
            check(getattr(gb.fft, name)(x, size, dim, norm), expected)
    turned = getattr(gb.fft, name)(x.transpose(0, 2), dim=0)
    check(turned, getattr(np.fft, name)(array.transpose(2, 1, 0), axis=0))


def error_of(found, expected):
    """The largest difference, in roundings of the largest number."""
    found = found.numpy()
    unit = np.finfo(found.dtype).eps * max(np.abs(expected).max(), 1e-30)
    return np.abs(found - expected).max() / unit


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_every_size_is_exact_but_for_some_roundings(size, double, no_leaks):
    bound = 2 + 2 * np.log2(size + 1)
    draw = np.random.default_rng(size)

    for count in (1, 3, 40 if size < 2000 else 9) if size < 60000 else (1, 2):
        x = gb.tensor(draw.normal(size=(count, size)), dtype=gb.float64 if double else gb.float32)
        z = gb.complex(x, x.flip(1))
        wide, wider = x.numpy().astype(float), z.numpy().astype(complex)
        half = gb.fft.rfft(x)
        half[:, 0] = half[:, 0].real + 3j  # whose imaginary part is nobody's
        assert error_of(gb.fft.fft(z), np.fft.fft(wider)) < bound
        assert error_of(gb.fft.ifft(z), np.fft.ifft(wider)) < bound
        assert error_of(gb.fft.rfft(x, norm="ortho"), np.fft.rfft(wide, norm="ortho")) < bound
        assert error_of(gb.fft.irfft(half, size), wide) < bound


def test_a_very_long_signal_is_a_matrix_of_long_ones(no_leaks):
    x = gb.randn(1 << 23)

    assert error_of(gb.fft.rfft(x), np.fft.rfft(x.numpy().astype(float))) < 50


@pytest.mark.parametrize("size", [6, 16, 27, 251, 257, 1022, 6006])
def test_signals_may_lie_in_any_way(size, no_leaks):
    lies = (
        lambda x: x,
        lambda x: x.transpose(0, 1).contiguous().transpose(0, 1),
        lambda x: x.flip(0).flip(1).flip(0).flip(1),
        lambda x: gb.stack([x, x], 2)[:, :, 1],
        lambda x: gb.stack([x, x], 1)[:, 0],
    )
    for count in (1, 5, 16, 19):
        x = gb.randn(count, size, dtype=gb.float64)
        z = gb.complex(x, x.flip(1))
        half = gb.fft.rfft(x)
        for lie in lies:
            for name, given in (("fft", z), ("ifft", z), ("rfft", x)):
                transform = getattr(gb.fft, name)
                gb.testing.assert_close(transform(lie(given)), transform(given.clone()))
                turned = transform(lie(given).t(), dim=0)
                gb.testing.assert_close(turned.t(), transform(given.clone()))
            gb.testing.assert_close(gb.fft.irfft(lie(half), size), x)
            gb.testing.assert_close(gb.fft.irfft(lie(half).t(), size, dim=0).t(), x)


def test_threads_may_transform_more_sizes_than_are_kept():
    def work(first):
        for size in range(first, first + 60):
            x = np.random.default_rng(size).normal(size=size)
            assert np.allclose(gb.fft.rfft(gb.tensor(x)).numpy(), np.fft.rfft(x))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, (1, 20, 1, 40)))


def test_one_value_for_all_places_is_read_where_it_lies():
    x = gb.ones(1, dtype=gb.complex64).expand(4, 32)

    found = gb.fft.fft(x)

    assert found[:, 0].tolist() == [32] * 4
    assert not found[:, 1:].any()


def test_a_graph_of_a_transform_keeps_nothing():
    x = gb.randn(1000, requires_grad=True)
    gb.fft.rfft(x).abs().sum().backward()  # what is kept of roots of unity is there
    x.grad = None
    before = gb.cpu.memory_allocated()

    y = gb.fft.rfft(x)

    assert gb.cpu.memory_allocated() - before == y.nbytes


def test_pytorchs_parts_are_there(no_leaks):
    x = gb.randn(3, 8, dtype=gb.float64)

    assert gb.equal(gb._fft_r2c(x, [1], 0, True), gb.fft.rfft(x))
    gb.testing.assert_close(gb._fft_r2c(x, [0, 1], 2, False), gb.fft.fft2(x, norm="forward"))
    assert gb.equal(gb._fft_c2c(x + 0j, [0], 1, False), gb.fft.ifft(x, dim=0, norm="ortho"))
    gb.testing.assert_close(gb._fft_c2r(gb.fft.rfft2(x), [0, 1], 2, 8), x)


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda: gb._fft_c2c(gb.ones(2), [0], 0, True), gb.DTypeError, "a complex one is needed"),
        (lambda: gb._fft_c2c(gb.ones(2) * 1j, [0], 3, True), gb.ShapeError, "0, 1 or 2 is needed"),
        (
            lambda: gb._fft_c2c(gb.ones(2) * 1j, [0, -1], 0, True),
            gb.ShapeError,
            "each may be named once",
        ),
        (lambda: gb._fft_c2c(gb.ones(2) * 1j, [1], 0, True), gb.IndexOutOfRangeError, "dim 1"),
        (lambda: gb._fft_c2c(gb.ones(2, 0) * 1j, [1], 0, True), gb.ShapeError, "at least 1"),
        (lambda: gb._fft_r2c(gb.arange(2), [0], 0, True), gb.DTypeError, "float32 or float64"),
        (lambda: gb._fft_r2c(gb.ones(2), [], 0, True), gb.ShapeError, "no dims"),
        (lambda: gb._fft_c2r(gb.ones(2) * 1j, [0], 0, 4), gb.ShapeError, "2 elements for 4"),
        (lambda: gb._fft_c2r(gb.ones(2) * 1j, [0], 0, -1), gb.ShapeError, "2 elements for -1"),
        (lambda: gb._fft_c2r(gb.ones(2) * 1j, [], 0, 2), gb.ShapeError, "no dims"),
    ],
)
def test_parts_refuse_what_they_cannot_transform(call, error, told):
    with pytest.raises(error, match=told):
        call()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_transforms_along_dims_are_numpys(name, dtype, no_leaks):
    array = given_to(name, dtype, 4, 6, 5)
    x = gb.tensor(array)

    def both(end, s=None, dim=None, norm=None):
        along = {} if dim is None else {"dim": dim}
        expected = getattr(np.fft, name + end)(
            array, s, **({"axes": dim} if dim is not None else {}), norm=norm
        )
        check(getattr(gb.fft, name + end)(x, s, norm=norm, **along), expected)

    both("2")
    both("2", dim=(0, 1), norm="ortho")
    both("n")
    both("n", s=(3, 7, 6), dim=(0, 1, 2), norm="forward")
    both("n", s=(8, 5), dim=(2, 0))


def test_halves_of_mirrored_signals_are_undone():
    for end, sizes in (("2", (4, 6)), ("n", (3, 4, 6))):
        x = gb.tensor(np.random.default_rng(0).normal(size=sizes))

        half = getattr(gb.fft, "ihfft" + end)(x)
        found = getattr(gb.fft, "hfft" + end)(half, [*sizes])

        gb.testing.assert_close(found, x)


@pytest.mark.parametrize("sizes", [(1,), (2,), (5, 7), (4, 1, 6), (3, 254), (2, 4096), (101,)])
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64])
def test_of_real_numbers_a_half_is_computed_and_mirrored(dtype, sizes, no_leaks):
    x = gb.tensor(np.random.default_rng(0).normal(size=sizes)).to(dtype)
    whole = x.to(dtype.to_complex())

    for name in ("fft", "ifft", "fftn", "ifftn"):
        transform = getattr(gb.fft, name)
        gb.testing.assert_close(transform(x, norm="ortho"), transform(whole, norm="ortho"))
    gb.testing.assert_close(gb.fft.fft(x, dim=0), gb.fft.fft(whole, dim=0))


def test_gradients_reach_real_numbers_by_all_of_their_transform(no_leaks):
    x = gb.tensor(np.random.default_rng(0).normal(size=(3, 5)), requires_grad=True)

    for name in ("fft", "ifft", "fft2", "ifftn"):
        assert gb.autograd.gradcheck(getattr(gb.fft, name), (x,))
        assert gb.autograd.gradgradcheck(getattr(gb.fft, name), (x,))
    made = gb.fft.fftn(x, dim=[])
    assert made.dtype == gb.complex128
    assert gb.equal(made.real, x)


def test_integers_become_the_default_dtype():
    assert gb.fft.fft(gb.arange(3)).dtype == gb.complex64
    assert gb.fft.rfft(gb.tensor([True, False])).tolist() == [1, 1]
    assert gb.fft.fft(gb.ones(2, dtype=gb.float64)).dtype == gb.complex128


@pytest.mark.parametrize("sizes", [(64, 2048), (300, 257), (3, 50000), (524288,)])
def test_signals_are_shared_by_threads_without_another_bit(sizes):
    x = gb.randn(*sizes, dtype=gb.complex64)
    before = gb.get_num_threads()

    together = gb.fft.fft(x)
    try:
        gb.set_num_threads(3)
        apart = gb.fft.fft(x)
    finally:
        gb.set_num_threads(before)

    assert gb.equal(together, apart)


GRADIENTS = {
    **{
        name: lambda x, y, name=name: getattr(gb.fft, name)(y if name in OF_REALS else x)
        for name in (*ONE_DIM, "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfftn")
    },
    "longer": lambda x, y: gb.fft.fft(x, 5, 0, "ortho"),
    "shorter": lambda x, y: gb.fft.rfft(y, 3, 0, "forward"),
    "odd": lambda x, y: gb.fft.irfft(x, 5, 1, "forward"),
    "shifted": lambda x, y: gb.fft.fftshift(x) * gb.fft.ifftshift(y),
    "filtered": lambda x, y: gb.fft.irfft(gb.fft.rfft(y) * x[:, :3], 4),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_differences(name, no_leaks):
    x = gb.tensor(numbers("complex128", 4, 4), requires_grad=True)
    y = gb.tensor(numbers("complex128", 4, 4, seed=1).real.copy(), requires_grad=True)

    assert gb.autograd.gradcheck(GRADIENTS[name], (x, y))
    assert gb.autograd.gradgradcheck(GRADIENTS[name], (x, y))


def test_frequencies_are_numpys():
    for n in (1, 2, 5, 8):
        check(gb.fft.fftfreq(n, 0.5, dtype=gb.float64), np.fft.fftfreq(n, 0.5))
        check(gb.fft.rfftfreq(n, 2.0, dtype=gb.float64), np.fft.rfftfreq(n, 2.0))
    array = np.arange(30).reshape(5, 6)
    x = gb.tensor(array)
    for dims in (None, 0, (1, 0)):
        check(gb.fft.fftshift(x, dims), np.fft.fftshift(array, dims))
        check(gb.fft.ifftshift(x, dims), np.fft.ifftshift(array, dims))


def test_results_go_where_they_are_wanted():
    x = gb.randn(4)
    out = gb.empty(3, dtype=gb.complex64)

    assert gb.fft.rfft(x, out=out) is out
    assert gb.equal(out, gb.fft.rfft(x))
    with pytest.raises(gb.DTypeError, match="does not fit"):
        gb.fft.fft(x, out=gb.empty(4))


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda f: f.fft(gb.ones(0)), gb.ShapeError, "0 elements along dim 0"),
        (lambda f: f.fft(gb.ones(2), 0), gb.ShapeError, "0 elements"),
        (lambda f: f.fft(gb.ones(2), -3), gb.ShapeError, "-3 elements"),
        (lambda f: f.fft(gb.ones(2), dim=1), gb.IndexOutOfRangeError, "dim 1 of a tensor of 1"),
        (lambda f: f.fft(gb.ones(())), gb.IndexOutOfRangeError, "dim -1"),
        (lambda f: f.fft(gb.ones(2), norm="none"), ValueError, "norm"),
        (lambda f: f.fft([1.0]), TypeError, "input"),
        (lambda f: f.fft(gb.ones(2, dtype=gb.float16)), gb.DTypeError, "a wider one"),
        (lambda f: f.rfft(gb.tensor([1j])), gb.DTypeError, "a real one is needed"),
        (lambda f: f.ihfft2(gb.ones(2, 2) * 1j), gb.DTypeError, "a real one is needed"),
        (lambda f: f.irfft(gb.ones(1)), gb.ShapeError, "0 elements along dim 0 of the result"),
        (lambda f: f.fftn(gb.ones(2, 2), dim=(0, 0)), gb.ShapeError, "each may be named once"),
        (lambda f: f.fftn(gb.ones(2), (2, 2)), gb.ShapeError, "2 sizes for 1 dims"),
        (lambda f: f.fftn(gb.ones(2, 2), (2, 2), 0), gb.ShapeError, "one each"),
        (lambda f: f.rfftn(gb.ones(())), gb.ShapeError, "no dims"),
        (lambda f: f.irfftn(gb.ones(())), gb.ShapeError, "no dims"),
        (lambda f: f.fft2(gb.ones(2)), gb.IndexOutOfRangeError, "dim -2"),
        (lambda f: f.fftfreq(0), gb.ShapeError, "n 0"),
        (lambda f: f.rfftfreq(2, 0), ValueError, "d 0"),
        (lambda f: f.fftshift(gb.ones(2), 3), gb.IndexOutOfRangeError, "dim 3"),
        (lambda f: f.fft(gb.ones(2), 1 << 62), gb.ShapeError, "2\\^63 bytes"),
    ],
)
def test_what_cannot_be_transformed_is_refused(call, error, told):
    with pytest.raises(error, match=told):
        call(gb.fft)

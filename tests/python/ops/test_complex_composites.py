"""Ops of complex numbers that are made of others, beside NumPy's or what they are made of."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

F = gb.nn.functional


def numbers(*sizes: int, seed: int = 7) -> np.ndarray:
    parts = np.random.default_rng(seed).normal(size=(2, *sizes))
    return parts[0] + 1j * parts[1]


def near(found: gb.Tensor, expected: np.ndarray) -> bool:
    return np.allclose(found.detach().numpy(), expected, rtol=1e-10, atol=1e-10)


ARRAY = numbers(3, 5)
MADE = {
    "corrcoef": (lambda x: x.corrcoef(), np.corrcoef(ARRAY)),
    "gradient": (lambda x: gb.gradient(x, dim=1)[0], np.gradient(ARRAY, axis=1)),
    "logaddexp": (
        lambda x: gb.logaddexp(x, x.flip(0) * 1j),
        np.log(np.exp(ARRAY) + np.exp(ARRAY[::-1] * 1j)),
    ),
    "logsumexp": (lambda x: x.logsumexp(1), np.log(np.exp(ARRAY).sum(1))),
    "nanmean": (lambda x: x.nanmean(0), ARRAY.mean(0)),
    "normalize": (
        lambda x: F.normalize(x, dim=1),
        ARRAY / np.linalg.norm(ARRAY, axis=1, keepdims=True),
    ),
    "renorm": (
        lambda x: x.renorm(2, 0, 1e-3),
        1e-3 * ARRAY / (np.linalg.norm(ARRAY, axis=1, keepdims=True) + 1e-7),
    ),
    "sum_to_size": (lambda x: x.sum_to_size(1, 5), ARRAY.sum(0, keepdims=True)),
    "vander": (lambda x: gb.linalg.vander(x, N=3), np.stack([ARRAY**0, ARRAY, ARRAY**2], -1)),
    "vecdot": (lambda x: gb.linalg.vecdot(x, x * 1j), (np.conj(ARRAY) * ARRAY * 1j).sum(-1)),
}


@pytest.mark.parametrize("name", MADE)
def test_values_are_numpys_and_gradients_are_differences(name):
    ours, expected = MADE[name]
    x = gb.from_numpy(ARRAY.copy()).requires_grad_()

    assert near(ours(x), expected)
    assert gb.autograd.gradcheck(ours, (x,), atol=1e-5, rtol=1e-3)


def test_a_sum_of_exponentials_does_not_overflow(no_leaks):
    with gb.tensor([1000 + 1j, 999 - 1j]) as x, x.logsumexp(0) as found:
        assert found.item().real == pytest.approx(999.906, abs=0.01)


def test_the_logarithm_of_two_exponentials_does_not_overflow(no_leaks):
    inf = float("inf")
    with gb.dispose_scope():
        a = gb.tensor([1000 + 1j, -1000 - 2j, complex(-inf, 0), complex(inf, 0)])
        b = gb.tensor([999 - 1j, -1001 + 1j, complex(-inf, 0), complex(1, 0)])

        found = gb.logaddexp(a, b)

        expected = a + gb.log1p(gb.exp(b - a))
        assert near(found[:2], expected[:2].numpy())
        assert found.real[2:].tolist() == [-inf, inf]


def test_ends_of_complex_ranges_are_not_cut(no_leaks):
    with gb.linspace(0.5, 2.5, 5, dtype=gb.complex64) as found:
        assert found.tolist() == [0.5, 1.0, 1.5, 2.0, 2.5]


def test_special_functions_drop_no_imaginary_part(no_leaks):
    with gb.ones(2, dtype=gb.complex64) as x:
        for name in ("entr", "ndtr", "ndtri", "log_ndtr"):
            with pytest.raises(gb.DTypeError, match=f"{name}: input of dtype .*a real one is"):
                getattr(gb.special, name)(x)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("has_bias", [False, True])
def test_a_convolution_is_what_its_parts_make(dims, is_transposed, has_bias):
    call = getattr(F, f"conv_transpose{dims}d" if is_transposed else f"conv{dims}d")
    x, weight, bias = (
        gb.from_numpy(numbers(*sizes, seed=seed)).requires_grad_()
        for seed, sizes in enumerate([(2, 4, *[4] * dims), (4, 2, *[3] * dims), (4,)])
    )
    more = {"stride": 2, "padding": 1, "groups": 2}
    given = [x, weight, bias] if has_bias else [x, weight]

    found = call(*given, **more)

    re, im, w_re, w_im = x.real, x.imag, weight.real, weight.imag
    across = call(re, w_re, **more) - call(im, w_im, **more)
    up = call(re, w_im, **more) + call(im, w_re, **more)
    expected = gb.complex(across, up)
    if has_bias:
        expected = expected + bias.reshape(-1, *[1] * dims)
    assert near(found, expected.detach().numpy())
    seed = gb.ones_like(found) * (1 - 2j)
    for ours, theirs in zip(
        gb.autograd.grad(found, given, seed), gb.autograd.grad(expected, given, seed), strict=True
    ):
        assert near(ours, theirs.numpy())


def test_lbfgs_finds_complex_numbers():
    x = gb.nn.Parameter(gb.tensor([1 + 2j, 3 - 1j]))
    with gb.optim.LBFGS([x], line_search_fn="strong_wolfe") as optimizer:

        def closure():
            optimizer.zero_grad()
            loss = (x - 1j).abs().square().sum()
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)

        assert gb.allclose(x.detach(), gb.full((2,), 1j, dtype=x.dtype), atol=1e-4)


@pytest.mark.parametrize("name", ["Adafactor", "Muon"])
def test_optimizers_of_real_numbers_refuse_complex_ones(name):
    with pytest.raises(gb.DTypeError, match=rf"{name}: a parameter of dtype .*real ones are"):
        getattr(gb.optim, name)([gb.nn.Parameter(gb.tensor([[1j]]))])


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_a_complex_value_fills_no_real_tensor(dtype, no_leaks):
    with gb.dispose_scope():
        x, mask = gb.ones(2, dtype=getattr(gb, dtype)), gb.tensor([True, False])

        for value in (1j, gb.tensor(1j)):
            with pytest.raises(gb.DTypeError, match=r"^masked_fill: .* complex|does not fit"):
                x.masked_fill(mask, value)

        assert x.tolist() == [1, 1]


def test_the_logarithm_of_a_determinant_has_its_angle(no_leaks):
    array = numbers(3, 3)

    with gb.from_numpy(array) as x, x.logdet() as found:
        assert np.allclose(np.exp(found.item()), np.linalg.det(array))

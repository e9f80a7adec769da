"""Singular values of matrices with many more rows than columns, or columns than rows."""

from __future__ import annotations

import math

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

la = gb.linalg


def matrices(*sizes: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=sizes)


@pytest.mark.parametrize("dtype", [gb.float64, gb.complex128])
@pytest.mark.parametrize("sizes", [(300, 20), (20, 300), (2, 5000, 3), (3, 5000), (4096, 1)])
def test_they_and_their_vectors_make_up_the_matrix(sizes: tuple[int, ...], dtype: gb.dtype) -> None:
    real = matrices(*sizes)
    array = real + 1j * real[..., ::-1, :] if dtype.is_complex else real
    x = gb.tensor(array, dtype=dtype)

    u, s, vh = la.svd(x, full_matrices=False)

    expected = np.linalg.svd(array, compute_uv=False)
    np.testing.assert_allclose(s.numpy(), expected, rtol=1e-11)
    np.testing.assert_allclose(la.svdvals(x).numpy(), expected, rtol=1e-11)
    np.testing.assert_allclose((u * s[..., None, :] @ vh).numpy(), array, atol=1e-11)
    for vectors in (u, vh.mH):
        ones = np.broadcast_to(np.eye(s.shape[-1]), (*s.shape, s.shape[-1]))
        np.testing.assert_allclose((vectors.mH @ vectors).numpy(), ones, atol=1e-12)


@pytest.mark.parametrize("sizes", [(2100, 2), (2, 2100)])
def test_their_gradient_is_that_of_differences(sizes: tuple[int, int]) -> None:
    along = gb.tensor(matrices(*sizes))

    def measured(x: gb.Tensor) -> gb.Tensor:
        u, s, vh = la.svd(x, full_matrices=False)
        return ((u * s**2 @ vh) * along).sum()

    x = gb.tensor(matrices(*sizes), requires_grad=True)
    (gradient,) = gb.autograd.grad(measured(x), [x])
    way = gb.tensor(np.random.default_rng(6).normal(size=sizes))
    step = 1e-5
    with gb.no_grad():
        slope = (measured(x + step * way) - measured(x - step * way)) / (2 * step)
    assert (gradient * way).sum().item() == pytest.approx(slope.item(), rel=1e-5)


def test_one_that_is_not_finite_is_refused() -> None:
    x = gb.tensor(matrices(300, 20))
    x[7, 3] = math.nan

    with pytest.raises(gb.LinAlgError):
        la.svd(x, full_matrices=False)
    with pytest.raises(gb.LinAlgError):
        la.svdvals(x)

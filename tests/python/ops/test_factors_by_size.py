"""Factors of matrices of many sizes: each is computed in another way."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

SIZES = [
    (1, 1),
    (3, 3),
    (4, 9),
    (9, 4),
    (16, 16),
    (17, 17),
    (20, 40),
    (40, 20),
    (33, 33),
    (2, 64),
    (64, 64),
    (65, 30),
    (100, 100),
    (48, 200),
    (200, 48),
    (300, 300),
]
DTYPES = {"float32": 1e-4, "float64": 1e-11, "complex64": 3e-4, "complex128": 1e-11}


def matrices(rows: int, columns: int, dtype: str) -> np.ndarray:
    rng = np.random.default_rng(rows * 1000 + columns)
    made = rng.standard_normal((2, rows, columns))
    if dtype.startswith("complex"):
        made = made + 1j * rng.standard_normal((2, rows, columns))
    return made.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
class TestOfEverySize:
    def test_triangles_of_which_one_was_permuted_multiply_to_the_matrix(
        self, sizes, dtype, no_leaks
    ):
        x = matrices(*sizes, dtype)

        swaps, lower, upper = (it.numpy() for it in gb.linalg.lu(gb.tensor(x)))

        assert np.abs(swaps @ lower @ upper - x).max() < DTYPES[dtype]
        # The largest was chosen for a pivot; of complex ones by the sum of both parts.
        assert np.abs(lower).max() <= (1.5 if np.iscomplexobj(x) else 1) + 1e-5
        assert np.array_equal(np.triu(upper), upper)

    def test_orthogonal_ones_are_lapacks(self, sizes, dtype, no_leaks):
        x = matrices(*sizes, dtype)

        for mode in ("reduced", "complete"):
            q, r = (it.numpy() for it in gb.linalg.qr(gb.tensor(x), mode))
            expected_q, expected_r = np.linalg.qr(x, mode)

            assert np.abs(r - expected_r).max() < DTYPES[dtype] * 10
            assert np.abs(q - expected_q).max() < DTYPES[dtype] * 10
            unit = q.conj().swapaxes(-1, -2) @ q
            assert np.abs(unit - np.eye(unit.shape[-1])).max() < DTYPES[dtype]


def test_wide_matrices_are_factored_some_columns_at_a_time(no_leaks):
    x = matrices(400, 1800, "float64")

    swaps, lower, upper = (it.numpy() for it in gb.linalg.lu(gb.tensor(x)))

    assert np.abs(swaps @ lower @ upper - x).max() < 1e-11


@pytest.mark.parametrize("side", [5, 16, 40, 100])
def test_the_first_column_of_zeros_is_told(side):
    x = matrices(side, side, "float64")[0]
    x[:, side // 2] = 0
    x[:, side - 1] = 0

    assert gb.linalg.lu_factor_ex(gb.tensor(x)).info.item() == side // 2 + 1
    assert gb.linalg.det(gb.tensor(x)).item() == 0
    with pytest.raises(gb.LinAlgError):
        gb.linalg.inv(gb.tensor(x))


@pytest.mark.parametrize("side", [5, 40, 100])
def test_what_is_no_number_spreads_and_ends(side):
    x = matrices(side, side, "float32")[0]
    x[side // 2, 1] = float("nan")

    assert gb.linalg.det(gb.tensor(x)).isnan().item()
    assert gb.linalg.qr(gb.tensor(x)).R.isnan().any().item()


@pytest.mark.parametrize("scale", [1e-44, 1e-38, 1e-25, 1e25, 1e38])
@pytest.mark.parametrize("sizes", [(2, 2), (9, 5)], ids=str)
def test_numbers_whose_squares_are_out_of_range_have_orthogonal_factors(sizes, scale):
    x = (np.random.default_rng(0).uniform(0.3, 1, sizes) * scale).astype(np.float32)
    x[:, 1] = 1

    q, r = (it.numpy() for it in gb.linalg.qr(gb.tensor(x)))

    lengths = np.linalg.norm(x.astype(np.float64), axis=0)
    product = q.astype(np.float64) @ r.astype(np.float64)
    assert np.abs(q.T @ q - np.eye(q.shape[1])).max() < 1e-5
    assert (np.abs(product - x) <= 1e-5 * lengths + 1e-44).all()
    assert np.array_equal(np.triu(r), r)


def test_of_a_matrix_of_zeros_the_orthogonal_factor_is_one():
    q, r = gb.linalg.qr(gb.zeros(4, 3))

    assert q.tolist() == gb.eye(4, 3).tolist()
    assert r.tolist() == gb.zeros(3, 3).tolist()

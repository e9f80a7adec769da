"""Pseudo-inverses and least squares, by whichever way the singular values allow."""

import garboard as gb
import numpy as np
import pytest

la = gb.linalg

KINDS = ("float32", "float64", "complex64", "complex128")


def matrix(sizes: tuple[int, int], values: np.ndarray, kind: str, seed: int = 3) -> np.ndarray:
    """A matrix of these singular values."""
    random = np.random.default_rng(seed)
    one = random.standard_normal(sizes)
    if kind.startswith("complex"):
        one = one + 1j * random.standard_normal(sizes)
    left, _, right = np.linalg.svd(one, full_matrices=False)
    return ((left * values) @ right).astype(kind)


def spread(count: int, condition: float) -> np.ndarray:
    return np.logspace(0, -np.log10(condition), count)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [(40, 7), (7, 40), (9, 8), (12, 12), (5, 1), (1, 5)])
@pytest.mark.parametrize("condition", [1, 30, 1e3, 1e5])
def test_pinv_is_as_near_as_the_condition_allows(kind, sizes, condition):
    given = matrix(sizes, spread(min(sizes), condition), kind)
    limit = np.finfo(kind).eps * max(sizes)
    expected = np.linalg.pinv(given.astype("complex128"), rcond=limit)

    found = la.pinv(gb.from_numpy(given)).numpy()

    error = np.linalg.norm(found - expected) / np.linalg.norm(expected)
    assert error < 40 * condition * np.finfo(kind).eps


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [(40, 7), (7, 40), (8, 8)])
def test_what_lacks_a_rank_is_told_from_what_has_it(kind, sizes):
    values = np.ones(min(sizes))
    whole = matrix(sizes, values, kind)
    values[-2:] = 0
    given = matrix(sizes, values, kind)

    found = la.lstsq(gb.from_numpy(given), gb.from_numpy(given[:, :2].copy()))

    assert found.rank.item() == min(sizes) - 2
    np.testing.assert_allclose(
        found.solution.numpy(), np.linalg.pinv(given, rcond=1e-5) @ given[:, :2], atol=1e-5
    )
    both = gb.from_numpy(np.stack([whole, given]))
    assert la.lstsq(both, both).rank.tolist() == [min(sizes), min(sizes) - 2]


def test_a_tolerance_cuts_what_it_says():
    given = gb.from_numpy(matrix((20, 4), np.array([1.0, 0.5, 0.1, 0.01]), "float64"))

    assert la.matrix_rank(given, rtol=0.05).item() == 3
    assert la.lstsq(given, given, rcond=0.05).rank.item() == 3
    np.testing.assert_allclose(
        la.pinv(given, rtol=0.05).numpy(), np.linalg.pinv(given.numpy(), rcond=0.05), rtol=1e-9
    )
    np.testing.assert_allclose(
        la.pinv(given, atol=0.05).numpy(), np.linalg.pinv(given.numpy(), rcond=0.05), rtol=1e-9
    )


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("sizes", [(6, 2), (2, 6), (3, 3)])
def test_what_is_not_finite_is_refused_whatever_the_way(bad, sizes, no_leaks):
    given = gb.ones(sizes)
    given[1, 1] = bad

    with pytest.raises(gb.LinAlgError, match=r"^linalg.pinv: .* not finite"):
        la.pinv(given)
    with pytest.raises(gb.LinAlgError, match=r"^linalg.lstsq: .* not finite"):
        la.lstsq(given, gb.ones(sizes[0], 1))


@pytest.mark.parametrize("sizes", [(6, 2), (2, 6), (3, 3)])
def test_gradients_are_the_same_whatever_the_way(sizes, no_leaks):
    given = matrix(sizes, spread(min(sizes), 3), "float64")
    right = np.random.default_rng(5).standard_normal((sizes[0], 2))
    x = gb.tensor(given, requires_grad=True)
    y = gb.tensor(right, requires_grad=True)

    assert gb.autograd.gradcheck(la.pinv, (x,))
    assert gb.autograd.gradcheck(lambda a, b: la.lstsq(a, b).solution, (x, y))
    swift = gb.autograd.grad(la.lstsq(x, y).solution.square().sum(), [x, y])
    exact = gb.autograd.grad(la.lstsq(x, y, driver="gelsd").solution.square().sum(), [x, y])
    for a, b in zip(swift, exact, strict=True):
        gb.testing.assert_close(a, b)


def test_rcond_is_the_older_name_of_rtol():
    given = gb.tensor([[2.0, 0.0], [0.0, 0.1]])

    assert la.pinv(given, 0.1).tolist() == [[0.5, 0.0], [0.0, 0.0]]
    assert la.pinv(given, rcond=0.1, hermitian=True).tolist() == [[0.5, 0.0], [0.0, 0.0]]
    with pytest.raises(TypeError, match="rcond beside another tolerance"):
        la.pinv(given, rcond=0.1, atol=0.1)


def test_a_negative_rcond_stands_for_the_epsilon():
    given = gb.tensor([[1.0, 0.0], [0.0, 1e-14], [0.0, 0.0]], dtype=gb.float64)
    right = gb.ones(3, 1, dtype=gb.float64)

    for driver in ("gelsy", "gelsd"):
        found = la.lstsq(given, right, rcond=-1, driver=driver)
        assert found.rank.item() == 2
    assert la.lstsq(given, right, rcond=1e-13).rank.item() == 1


def test_a_rank_takes_one_tolerance_by_place():
    given = gb.eye(3) * gb.tensor([1.0, 0.4, 0.2])

    assert la.matrix_rank(given, 0.3).item() == la.matrix_rank(given, 0.3, True).item() == 2
    assert la.matrix_rank(given.expand(2, 3, 3), gb.tensor([0.5, 0.1])).tolist() == [1, 3]
    with pytest.raises(TypeError, match="tol beside atol"):
        la.matrix_rank(given, 0.3, atol=0.1)

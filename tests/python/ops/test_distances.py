"""Distances between rows, of which differences are made by parts."""

import garboard as gb
import numpy as np
import pytest
from garboard._ops import distances

POWERS = [0.0, 0.5, 1.0, 2.0, 3.0, float("inf")]
DIRECTLY = "donot_use_mm_for_euclid_dist"


@pytest.fixture(params=[1, 50, 1 << 18])
def at_once(request, monkeypatch):
    monkeypatch.setattr(distances, "_AT_ONCE", request.param)


def drawn(*sizes: int, seed: int = 0) -> gb.Tensor:
    return gb.tensor(np.random.default_rng(seed).standard_normal(sizes))


@pytest.mark.usefixtures("at_once")
class TestByParts:
    @pytest.mark.parametrize("p", POWERS)
    @pytest.mark.parametrize(
        "sizes",
        [((7, 3), (5, 3)), ((2, 1, 4, 3), (3, 5, 3)), ((0, 3), (2, 3)), ((4, 0), (3, 0))],
    )
    def test_distances_are_those_of_their_definition(self, p, sizes, no_leaks):
        a, b = drawn(*sizes[0]), drawn(*sizes[1], seed=1)
        apart = np.abs(a.numpy()[..., :, None, :] - b.numpy()[..., None, :, :])
        expected = np.linalg.norm(apart, p, axis=-1) if sizes[0][-1] else apart.sum(-1)

        found = gb.cdist(a, b, p, DIRECTLY)

        assert found.shape == expected.shape
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9)

    @pytest.mark.parametrize("p", POWERS)
    @pytest.mark.parametrize("count", [0, 1, 2, 9])
    def test_pairs_are_those_above_the_diagonal(self, p, count, no_leaks):
        x = drawn(count, 4)

        found = gb.pdist(x, p)

        whole = gb.cdist(x, x, p, DIRECTLY)
        np.testing.assert_allclose(found.tolist(), whole[np.triu_indices(count, 1)], rtol=1e-12)

    @pytest.mark.parametrize("p", [1.0, 1.5, 2.0, float("inf")])
    def test_gradients_are_those_of_differences(self, p, no_leaks):
        a, b = drawn(5, 3).requires_grad_(), drawn(4, 3, seed=1).requires_grad_()

        assert gb.autograd.gradcheck(lambda x, y: gb.cdist(x, y, p, DIRECTLY), (a, b))
        assert gb.autograd.gradcheck(lambda x: gb.pdist(x, p), (a,))
        with gb.no_grad():
            assert not gb.cdist(a, b, p).requires_grad
        assert gb.cdist(a.detach(), b, p, DIRECTLY).requires_grad

    def test_gradients_have_gradients(self):
        a, b = drawn(4, 3).requires_grad_(), drawn(3, 3, seed=1).requires_grad_()

        assert gb.autograd.gradgradcheck(lambda x, y: gb.cdist(x, y, 3.0), (a, b))


@pytest.mark.parametrize("needs_grad", [False, True])
def test_differences_are_not_there_all_at_once(needs_grad, no_leaks):
    x = gb.ones(400, 300, requires_grad=needs_grad)
    result = 400 * 400 * 4
    before = gb.memory.peak().bytes

    gb.cdist(x, x, 1.0)
    gb.pdist(x)

    assert gb.memory.peak().bytes - before < 2 * result + 6 * 4 * distances._AT_ONCE


def test_what_has_no_room_is_refused_before_a_part_is_made(no_leaks):
    rows = gb.ones(1, 1).expand(1 << 31, 1)

    with pytest.raises(gb.ShapeError, match="no device holds"):
        gb.cdist(rows, rows, 1.0)
    before = gb.memory.set_memory_limit("1 MiB")
    try:
        with pytest.raises(gb.OutOfMemoryError):
            gb.cdist(rows[:100_000], rows[:100_000], 1.0)
    finally:
        gb.memory.set_memory_limit(before)


class TestDistancesOfManyRows:
    @pytest.mark.parametrize(
        ("one", "other"), [((40, 5), (30, 5)), ((2, 1, 40, 3), (3, 27, 3)), ((30, 0), (4, 0))]
    )
    def test_by_one_product_are_those_by_differences(self, one, other, no_leaks):
        gb.manual_seed(0)
        x, y = (gb.randn(*sizes, dtype=gb.float64, requires_grad=True) for sizes in (one, other))
        found = gb.cdist(x, y)
        weight = gb.randn(found.shape, dtype=gb.float64)

        by_product = gb.autograd.grad((found * weight).sum(), (x, y))
        wanted = gb.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")
        by_differences = gb.autograd.grad((wanted * weight).sum(), (x, y))

        gb.testing.assert_close(found, wanted, rtol=1e-9, atol=1e-12)
        gb.testing.assert_close(by_product, by_differences, rtol=1e-8, atol=1e-11)
        with gb.no_grad():
            assert gb.equal(gb.cdist(x, y), found)

    def test_can_be_differentiated_again(self):
        gb.manual_seed(0)
        x, y = (gb.randn(n, 3, dtype=gb.float64, requires_grad=True) for n in (27, 2))

        assert gb.autograd.gradcheck(gb.cdist, (x, y))
        assert gb.autograd.gradgradcheck(gb.cdist, (x, y))

    def test_have_no_slope_where_rows_meet_and_tell_of_nan(self):
        x = gb.zeros(30, 2, requires_grad=True)

        far = gb.cdist(x, x)
        far.sum().backward()

        assert not far.any()
        assert not x.grad.any()
        assert gb.cdist(gb.full((30, 1), float("nan")), gb.ones(2, 1)).isnan().all()

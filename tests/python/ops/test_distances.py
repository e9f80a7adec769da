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


@pytest.mark.parametrize("p", [1.0, 2.0, float("inf")])
class TestByAKernel:
    @pytest.mark.parametrize("dtype", [gb.float32, gb.float64])
    @pytest.mark.parametrize(
        ("one", "other"),
        [((300, 70), (130, 70)), ((2, 3, 5), (200, 5)), ((70, 600), (5, 600)), ((1, 1), (1, 1))],
    )
    def test_rows_of_any_number_and_length_are_compared(self, p, dtype, one, other, no_leaks):
        x, y = (drawn(*sizes, seed=seed) for seed, sizes in enumerate((one, other)))
        apart = np.abs(x.numpy()[..., :, None, :] - y.numpy()[..., None, :, :])
        room = 1e-5 if dtype == gb.float32 else 1e-12

        for given in (x.to(dtype), x.to(dtype).transpose(-1, -2).contiguous().transpose(-1, -2)):
            found = gb.cdist(given, y.to(dtype), p, DIRECTLY)

            assert found.dtype == dtype
            np.testing.assert_allclose(found, np.linalg.norm(apart, p, axis=-1), rtol=room)

    @pytest.mark.parametrize(
        ("one", "other"), [((70, 3), (5, 3)), ((2, 1, 4, 300), (3, 66, 300)), ((5, 0), (2, 0))]
    )
    def test_gradients_are_those_that_ops_give(self, p, one, other, no_leaks):
        x, y = (drawn(*sizes, seed=seed) for seed, sizes in enumerate((one, other)))
        x.requires_grad_(), y.requires_grad_()
        found = gb.cdist(x, y, p, DIRECTLY)
        weight = drawn(*found.shape, seed=2)

        by_kernel = gb.autograd.grad(found, (x, y), weight, retain_graph=True)
        by_ops = gb.autograd.grad(found, (x, y), weight, create_graph=True)

        assert not by_kernel[0].requires_grad
        gb.testing.assert_close(by_kernel, by_ops, rtol=1e-10, atol=1e-12)
        (alone,) = gb.autograd.grad(gb.cdist(x, y.detach(), p, DIRECTLY), x, weight)
        assert gb.equal(alone, by_kernel[0])

    def test_gradients_have_gradients(self, p):
        x, y = drawn(4, 3).requires_grad_(), drawn(3, 3, seed=1).requires_grad_()

        assert gb.autograd.gradgradcheck(lambda x, y: gb.cdist(x, y, p, DIRECTLY), (x, y))
        assert gb.autograd.gradgradcheck(lambda x: gb.pdist(x, p), (x,))

    @pytest.mark.parametrize("sizes", [(0, 3), (1, 3), (2, 0), (200, 5), (130, 300)])
    def test_pairs_are_those_of_all_rows_above_the_diagonal(self, p, sizes, no_leaks):
        x = drawn(*sizes).requires_grad_()
        upper = gb.ones(len(x), len(x), dtype=gb.bool).triu(1)

        for given in (x, x.t().contiguous().t()):
            found, wanted = gb.pdist(given, p), gb.cdist(given, given.detach(), p, DIRECTLY)[upper]
            weight = drawn(*found.shape, seed=1)
            (slope,) = gb.autograd.grad(found, x, weight, retain_graph=True)
            (by_ops,) = gb.autograd.grad(found, x, weight, create_graph=True)

            gb.testing.assert_close(found, wanted, rtol=0, atol=0)
            gb.testing.assert_close(slope, by_ops, rtol=1e-10, atol=1e-11)
            if len(x) > 2:
                assert slope.any()

    def test_rows_that_meet_have_no_slope_and_nan_is_told(self, p):
        x = gb.ones(3, 2, requires_grad=True)

        far = gb.cdist(x, x, p)
        far.sum().backward()

        assert not far.any()
        assert not x.grad.any()
        assert gb.cdist(gb.tensor([[float("nan"), 1.0]]), gb.ones(1, 2), p).isnan().all()

    def test_threads_share_rows_without_another_bit(self, p):
        x = gb.randn(700, 40, requires_grad=True)
        found = []
        before = gb.get_num_threads()
        try:
            for count in (1, 3):
                gb.set_num_threads(count)
                far = gb.cdist(x, x * 2, p, DIRECTLY)
                found.append((far.detach(), *gb.autograd.grad(far.sum(), x)))
        finally:
            gb.set_num_threads(before)

        assert all(map(gb.equal, *found))


def test_a_distance_that_was_written_is_not_read_for_its_slope():
    x = gb.ones(2, 2, requires_grad=True)
    far = gb.cdist(x, gb.zeros(2, 2))

    with gb.no_grad():
        far.zero_()

    with pytest.raises(gb.VersionError):
        far.sum().backward()


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda x: gb._engine._cdist(x, x, 3.0), gb.ShapeError, "1, 2 or inf is needed"),
        (lambda x: gb._engine._cdist(x, x.double(), 1.0), gb.DTypeError, "must be equal"),
        (lambda x: gb._engine._cdist(x.half(), x.half(), 1.0), gb.DTypeError, "float64 is needed"),
        (lambda x: gb._engine._cdist(x, x[:, 1:], 1.0), gb.ShapeError, "are needed"),
        (lambda x: gb._engine._cdist(x[0], x, 1.0), gb.ShapeError, "are needed"),
        (lambda x: gb._engine._pdist(x[0], 1.0), gb.ShapeError, "two dims are needed"),
        (lambda x: gb._engine._pdist(x, 0.5), gb.ShapeError, "1, 2 or inf is needed"),
        (lambda x: gb._engine._pdist(x.int(), 1.0), gb.DTypeError, "float32 or float64"),
        (
            lambda x: gb._engine._pdist(x[:1, :1].expand(1 << 62, 1), 1.0),
            gb.ShapeError,
            "no device holds",
        ),
        (lambda x: gb._engine._cdist(x.to("meta"), x.to("meta"), 1.0), gb.DeviceError, "the CPU"),
    ],
)
def test_the_kernel_refuses_what_it_cannot_compare(call, error, told, no_leaks):
    with pytest.raises(error, match=told):
        call(gb.ones(2, 2))


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

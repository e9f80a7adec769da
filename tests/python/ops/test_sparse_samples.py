"""Sparse matrices of diagonals, and products at the places of one."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

OFFSETS = [0, -1, 2]


@pytest.mark.parametrize("sizes", [(3, 3), (5, 5), (2, 6), (6, 2), (1, 1)])
@pytest.mark.parametrize("length", [1, 3, 7])
def test_diagonals_lie_as_in_scipy(sizes, length):
    scipy = pytest.importorskip("scipy.sparse")
    rows = np.random.default_rng(1).standard_normal((3, length))

    found = gb.sparse.spdiags(gb.tensor(rows), gb.tensor(OFFSETS), sizes)

    assert found.to_dense().tolist() == scipy.spdiags(rows, OFFSETS, *sizes).toarray().tolist()


def test_diagonals_have_gradients():
    rows = gb.ones(2, 3, requires_grad=True)

    gb.sparse.spdiags(rows, gb.tensor([0, 1]), (3, 3)).to_dense().sum().backward()

    assert rows.grad is not None
    assert rows.grad.tolist() == [[1, 1, 1], [0, 1, 1]]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"offsets": [0, 0]}, ValueError, "an offset is told twice"),
        ({"offsets": [0]}, gb.ShapeError, r"offsets of \[1\]"),
        ({"offsets": [0.0, 1.0]}, gb.DTypeError, "int64 is needed"),
        ({"shape": (3,)}, gb.ShapeError, "a shape of 1 sizes"),
        ({"layout": "rows"}, ValueError, "layout 'rows'"),
    ],
)
def test_diagonals_say_what_does_not_fit(change, error, message):
    given = {"offsets": [0, 1], "shape": (3, 3)} | change
    offsets = gb.tensor(given.pop("offsets"))

    with pytest.raises(error, match=f"spdiags: .*{message}"):
        gb.sparse.spdiags(gb.ones(2, 3), offsets, **given)


class TestSampledProduct:
    def test_is_the_product_where_there_are_places(self):
        rng = np.random.default_rng(2)
        x = rng.standard_normal((4, 5)) * (rng.random((4, 5)) > 0.5)
        left, right = rng.standard_normal((4, 3)), rng.standard_normal((3, 5))

        found = gb.sparse.sampled_addmm(
            gb.tensor(x).to_sparse(), gb.tensor(left), gb.tensor(right), beta=0.5, alpha=2.0
        )

        expected = np.where(x != 0, 0.5 * x + 2 * left @ right, 0)
        np.testing.assert_allclose(found.to_dense().numpy(), expected, rtol=1e-12)

    def test_is_by_rows_where_its_places_are(self):
        x = gb.sparse.spdiags(gb.ones(2, 3), gb.tensor([0, 1]), (3, 3), layout=gb.sparse_csr)

        found = gb.sparse.sampled_addmm(x, gb.ones(3, 2), gb.ones(2, 3))

        assert isinstance(found, gb.sparse.SparseCsrTensor)
        assert found.crow_indices().tolist() == [0, 2, 4, 5]
        assert found.to_dense().tolist() == [[3, 3, 0], [0, 3, 3], [0, 0, 3]]

    def test_has_gradients_of_both_factors(self):
        left, right = gb.ones(2, 3, requires_grad=True), gb.ones(3, 2, requires_grad=True)

        gb.sparse.sampled_addmm(gb.eye(2).to_sparse(), left, right).values().sum().backward()

        assert left.grad is not None
        assert right.grad is not None
        assert left.grad.tolist() == [[1] * 3] * 2
        assert right.grad.tolist() == [[1] * 2] * 3

    def test_says_what_does_not_fit(self):
        x = gb.eye(2).to_sparse()

        with pytest.raises(gb.ShapeError, match=r"\[n, k\], \[n, m\] and \[m, k\] are needed"):
            gb.sparse.sampled_addmm(x, gb.ones(2, 3), gb.ones(2, 2))
        with pytest.raises(gb.DTypeError, match="one is needed"):
            gb.sparse.sampled_addmm(x, gb.ones(2, 3, dtype=gb.float64), gb.ones(3, 2))
        with pytest.raises(TypeError, match="a SparseTensor is needed"):
            gb.sparse.sampled_addmm(gb.eye(2), gb.ones(2, 3), gb.ones(3, 2))

    def test_leaves_nothing_behind(self):
        def step():
            factor = gb.ones(2, 2, requires_grad=True)
            made = gb.sparse.sampled_addmm(gb.eye(2).to_sparse(), factor, factor)
            made.to_dense().sum().backward()

        with gb.leaks.no_leaks():
            step()


class Product(gb.autograd.Function):
    """As graph networks multiply by the weights of edges."""

    @staticmethod
    def forward(ctx, places, values, x):
        matrix = gb.sparse_coo_tensor(places, values, (3, 3))
        ctx.save_for_backward(x, matrix, None)
        return matrix @ x

    @staticmethod
    def backward(ctx, gradient):
        x, matrix, _ = ctx.saved_tensors
        rows, columns = matrix._indices()
        return None, (gradient @ x.T)[rows, columns], matrix.t() @ gradient


@pytest.mark.no_leaks
def test_a_function_saves_one_for_its_backward():
    places, values = gb.tensor([[0, 2, 1], [1, 0, 1]]), gb.tensor([2.0, 3.0, 4.0])
    x = gb.arange(6.0).reshape(3, 2)
    values.requires_grad_()
    x.requires_grad_()

    Product.apply(places, values, x).square().sum().backward()

    dense = gb.zeros(3, 3).index_put((places[0], places[1]), values)
    wanted = gb.autograd.grad((dense @ x).square().sum(), (values, x))
    assert values.grad.tolist() == wanted[0].tolist()
    assert x.grad.tolist() == wanted[1].tolist()


@pytest.mark.no_leaks
def test_one_that_was_saved_and_written_is_refused():
    values = gb.ones(2)
    matrix = gb.sparse_coo_tensor([[0, 1], [1, 0]], values, (2, 2))

    class Kept(gb.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(matrix)
            return matrix @ x

        @staticmethod
        def backward(ctx, gradient):
            return ctx.saved_tensors[0].t() @ gradient

    y = Kept.apply(gb.ones(2, 1, requires_grad=True))
    matrix._values().zero_()

    with pytest.raises(gb.VersionError):
        y.sum().backward()

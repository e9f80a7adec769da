"""Products of sparse matrices whose rows are not added up: means and extremes of terms."""

from __future__ import annotations

import garboard as gb
import pytest

pytestmark = pytest.mark.no_leaks


def matrix():
    return gb.tensor([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [3.0, 0.0, -4.0]]).to_sparse_csr()


@pytest.mark.parametrize(
    ("reduce", "expected"),
    [
        ("sum", [[6, 3], [0, 0], [-3, -2]]),
        ("mean", [[3, 1.5], [0, 0], [-1.5, -1]]),
        ("amax", [[3, 4], [0, 0], [3, 6]]),
        ("max", [[3, 4], [0, 0], [3, 6]]),
        ("amin", [[3, -1], [0, 0], [-6, -8]]),
    ],
)
def test_the_terms_of_a_row_are_reduced_and_a_bare_row_is_zero(reduce, expected):
    other = gb.tensor([[1.0, 2.0], [3.0, -1.0], [1.5, 2.0]])

    assert gb.sparse.mm(matrix(), other, reduce).tolist() == expected
    assert gb.sparse.mm(matrix().to_sparse_coo(), other, reduce).tolist() == expected


@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin"])
def test_gradients_flow_to_both_factors(reduce):
    x = matrix()
    values = x.values().double().requires_grad_()
    other = gb.tensor([[1.0, 2.0], [3.0, -1.0], [1.25, 2.0]], dtype=gb.float64, requires_grad=True)

    def product(values, other):
        made = gb.sparse_csr_tensor(x.crow_indices(), x.col_indices(), values, (3, 3))
        return gb.sparse.mm(made, other, reduce)

    assert gb.autograd.gradcheck(product, (values, other))


def test_of_equal_terms_the_first_has_the_gradient():
    other = gb.zeros(3, 2, requires_grad=True)

    gb.sparse.mm(matrix(), other, "amax").sum().backward()

    assert other.grad.tolist() == [[3, 3], [1, 1], [0, 0]]


def test_a_term_that_is_no_number_wins():
    other = gb.tensor([[1.0], [float("nan")], [float("inf")]])

    found = gb.sparse.mm(matrix(), other, "amax")

    assert found.isnan().flatten().tolist() == [True, False, False]
    assert found[2].tolist() == [3]


def test_a_matrix_without_elements_makes_zeros():
    nothing = gb.zeros(2, 3).to_sparse_csr()

    assert gb.sparse.mm(nothing, gb.ones(3, 2), "amax").tolist() == [[0, 0], [0, 0]]
    assert gb.sparse.mm(nothing, gb.ones(3, 2), "mean").tolist() == [[0, 0], [0, 0]]


def test_what_cannot_be_reduced_is_refused():
    with pytest.raises(ValueError, match="mm: reduce 'prod'; 'sum', 'mean'"):
        gb.sparse.mm(matrix(), gb.ones(3, 1), "prod")
    with pytest.raises(TypeError, match=r"mm: mat1 is .*; with reduce, a SparseTensor is needed"):
        gb.sparse.mm(gb.ones(2, 3), gb.ones(3, 1), "amax")
    with pytest.raises(gb.ShapeError, match="with reduce, a matrix is needed"):
        gb.sparse.mm(matrix(), gb.ones(3), "amax")
    with pytest.raises(gb.ShapeError, match="inner sizes"):
        gb.sparse.mm(matrix(), gb.ones(2, 1), "mean")

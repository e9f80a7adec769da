"""Sparse matrices told row by row."""

from __future__ import annotations

import garboard as gb
import pytest

pytestmark = pytest.mark.no_leaks


def test_a_matrix_by_rows_is_made_of_a_dense_one_and_back():
    dense = gb.tensor([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]])

    x = dense.to_sparse_csr()

    assert x.crow_indices().tolist() == [0, 1, 3]
    assert x.col_indices().tolist() == [1, 0, 2]
    assert x.values().tolist() == [1, 2, 3]
    assert gb.equal(x.to_dense(), dense)
    assert (x.layout, x.is_sparse_csr, x.is_sparse) == (gb.sparse_csr, True, False)
    assert x.to_sparse().is_sparse
    assert gb.equal(dense.to_sparse().to_sparse_csr().to_dense(), dense)
    assert repr(x).endswith("size=(2, 3), nnz=3,\n       layout=garboard.sparse_csr)")


def test_gradients_flow_to_the_values():
    values = gb.ones(3, requires_grad=True)
    x = gb.sparse_csr_tensor([0, 1, 3], [1, 0, 2], values, (2, 3))

    (x @ gb.arange(6.0).view(3, 2)).sum().backward()

    assert values.grad.tolist() == [5, 1, 9]


def test_it_does_what_sparse_tensors_do():
    x = gb.sparse_csr_tensor([0, 1, 2], [0, 1], [2.0, 3.0])

    assert (x * 2).is_sparse_csr
    assert gb.sparse.mm(x, gb.ones(2, 1)).tolist() == [[2], [3]]
    assert (x @ gb.ones(2)).tolist() == [2, 3]
    assert (gb.ones(1, 2) @ x).tolist() == [[2, 3]]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: gb.sparse_csr_tensor([0, 1], [0, 1], [1.0, 2.0]), gb.ShapeError),
        (lambda: gb.sparse_csr_tensor([0, 2, 1], [0], [1.0]), gb.ShapeError),
        (lambda: gb.sparse_csr_tensor([0, 1], [0], [1.0], (2, 2)), gb.ShapeError),
        (lambda: gb.sparse_csr_tensor([0, 1], [5], [1.0], (1, 2)), gb.IndexOutOfRangeError),
        (lambda: gb.ones(2).to_sparse_csr(), gb.ShapeError),
        (lambda: gb.eye(2).to_sparse_csr().indices(), RuntimeError),
    ],
)
def test_what_does_not_fit_is_refused(call, error):
    with pytest.raises(error):
        call()


def test_what_asks_for_gradients_is_the_matrix_and_not_the_values_it_was_given():
    values = gb.ones(2)
    x = gb.sparse_csr_tensor([0, 1, 2], [0, 1], values)
    y = gb.sparse_coo_tensor([[0, 1], [0, 1]], values, (2, 2))

    for one in (x, y):
        one.requires_grad_()
        (one @ gb.ones(2, 1)).sum().backward()

    assert x.requires_grad
    assert not values.requires_grad
    assert values.grad is None
    assert x.grad.values().tolist() == [1, 1]
    assert y.grad.coalesce().values().tolist() == [1, 1]


def test_a_matrix_that_asks_for_gradients_in_a_scope_outlives_it():
    x = gb.eye(2).to_sparse_csr()

    with gb.dispose_scope():
        x.requires_grad_()

    assert x.values().tolist() == [1, 1]


def test_values_of_several_numbers_have_dims_of_their_own():
    values = gb.arange(6.0).view(3, 2)

    x = gb.sparse_csr_tensor([0, 1, 3], [1, 0, 1], values)
    y = gb.sparse_csc_tensor([0, 1, 3], [1, 0, 1], values, (2, 2, 2))

    assert x.shape == y.shape == (2, 2, 2)
    assert x.dense_dim() == 1
    assert x.to_dense()[1].tolist() == [[2, 3], [4, 5]]
    assert y.to_dense()[1].tolist() == [[0, 1], [4, 5]]
    with pytest.raises(gb.ShapeError, match="then those that each value has"):
        gb.sparse_csr_tensor([0, 1, 3], [1, 0, 1], values, (2, 2))

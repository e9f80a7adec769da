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

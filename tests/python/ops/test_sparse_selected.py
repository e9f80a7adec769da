"""Slices of sparse tensors by their numbers."""

from __future__ import annotations

import garboard as gb
import pytest

pytestmark = pytest.mark.no_leaks

PLACES = [[0, 0, 1, 2, 2], [0, 3, 1, 0, 2]]


@pytest.mark.parametrize(
    ("dim", "index"), [(0, [2, 0, 2]), (1, [0, 3, 0]), (-1, []), (1, [1]), (0, [-1, -3])]
)
def test_slices_are_those_of_the_dense_tensor(dim, index):
    values = gb.tensor([1.0, 2.0, 3.0, 4.0, 5.0], requires_grad=True)
    x = gb.sparse_coo_tensor(gb.tensor(PLACES), values, (3, 4))
    numbers = gb.tensor(index, dtype=gb.int64)

    found = x.index_select(dim, numbers)

    inside = numbers.remainder(x.shape[dim])
    assert gb.equal(found.to_dense(), x.to_dense().index_select(dim, inside))
    (slopes,) = gb.autograd.grad(found.to_dense().square().sum(), values)
    (expected,) = gb.autograd.grad(
        x.to_dense().index_select(dim, inside).square().sum(), values, allow_unused=True
    )
    assert gb.equal(slopes, gb.zeros(5) if expected is None else expected)


def test_slices_come_in_the_order_of_their_numbers():
    x = gb.sparse_coo_tensor(gb.tensor(PLACES), gb.tensor([1.0, 2.0, 3.0, 4.0, 5.0]), (3, 4))

    found = gb.index_select(x, 0, gb.tensor([2, 0, 2]))

    assert found._indices().tolist() == [[0, 0, 1, 1, 2, 2], [0, 2, 0, 3, 0, 2]]
    assert found._values().tolist() == [4, 5, 1, 2, 4, 5]
    assert not found.is_coalesced()


def test_slices_of_a_dense_dim_are_those_of_the_values():
    x = gb.sparse_coo_tensor(gb.tensor([[0, 2]]), gb.arange(6.0).view(2, 3), (3, 3))

    assert x.index_select(1, gb.tensor([2, 0]))._values().tolist() == [[2, 0], [5, 3]]


def test_a_program_may_say_that_places_are_told_once():
    x = gb.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2,))

    assert x._coalesced_(True) is x
    assert x.values().tolist() == [1, 2]


@pytest.mark.parametrize(
    ("dim", "index", "message"),
    [
        (0, [5], r"index 5 in dim 0 of size 3; one in \[-3, 3\) is needed"),
        (0, [-4], "index -4 in dim 0"),
        (2, [0], "dim"),
        (0, [[0]], r"index of sizes \[1, 1\]"),
        (0, [0.0], "dtype garboard.float32; whole numbers"),
    ],
)
def test_numbers_that_are_not_there_are_refused(dim, index, message):
    x = gb.sparse_coo_tensor(gb.tensor(PLACES), gb.ones(5), (3, 4))

    with pytest.raises(IndexError, match=message):
        x.index_select(dim, gb.tensor(index))

"""Copies with a part replaced: values and gradients beside NumPy's indexing."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def index_of_slice(array, src):
    array[:, 1:5:2] = src


def index_of_row(array, src):
    array[-1] = src


CASES = {
    "slice": (lambda x, s: gb.slice_scatter(x, s, 1, 1, 5, 2), (4, 2), index_of_slice),
    "select": (lambda x, s: x.select_scatter(s, 0, -1), (5,), index_of_row),
}


@pytest.mark.parametrize("name", CASES)
def test_the_part_and_only_that_comes_from_the_other(name):
    call, sizes, write = CASES[name]
    rng = np.random.default_rng(0)
    array, part = rng.normal(size=(4, 5)), rng.normal(size=sizes)
    x, src = gb.tensor(array, requires_grad=True), gb.tensor(part, requires_grad=True)
    expected, mask = array.copy(), np.ones_like(array)
    write(expected, part)
    write(mask, 0.0)

    with gb.leaks.no_leaks():
        made = call(x, src)
        assert np.array_equal(made.detach().numpy(), expected)
        assert np.array_equal(x.detach().numpy(), array)
        made.sum().backward()
        assert np.array_equal(x.grad.numpy(), mask)
        assert src.grad.tolist() == np.ones(sizes).tolist()
        del made
        x.grad = src.grad = None


def test_a_diagonal_comes_from_the_other():
    made = gb.diagonal_scatter(gb.zeros(3, 4), gb.tensor([1.0, 2.0, 3.0]), offset=1)

    assert made.tolist() == np.diag([1.0, 2.0, 3.0, 0.0], 1)[:3, :4].tolist()


@pytest.mark.parametrize("sizes", [(9, 2), (2, 9), (3, 3, 3), (7, 3)])
@pytest.mark.parametrize("wraps", [False, True])
def test_a_diagonal_is_filled_in_place_as_numpys(sizes, wraps):
    expected = np.ones(sizes)
    np.fill_diagonal(expected, 5.0, wrap=wraps)

    x = gb.ones(sizes)

    assert x.fill_diagonal_(5.0, wraps) is x
    assert x.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("x", "number", "expected"),
    [
        ([[True, True], [True, True]], False, [[False, True], [True, False]]),
        ([[2.0, 3.0], [4.0, 5.0]], True, [[1.0, 3.0], [4.0, 1.0]]),
        ([[2j, 3j], [4j, 5j]], 1j, [[1j, 3j], [4j, 1j]]),
    ],
    ids=["bool", "bool into floats", "complex"],
)
def test_a_diagonal_is_filled_with_what_an_element_can_be(x, number, expected):
    assert gb.tensor(x).fill_diagonal_(number).tolist() == expected


def test_what_is_written_over_has_no_gradient():
    x = gb.ones(2, 2, requires_grad=True)
    y = x * 3
    y.fill_diagonal_(7.0)

    y.sum().backward()

    assert x.grad.tolist() == [[0.0, 3.0], [3.0, 0.0]]


REFUSED = [
    (lambda x: gb.slice_scatter(x, gb.ones(3, 3), 1), gb.ShapeError, "src of sizes"),
    (lambda x: gb.slice_scatter(x, x, 7), gb.IndexOutOfRangeError, "dim 7"),
    (lambda x: gb.slice_scatter(x, x, step=0), ValueError, "step"),
    (lambda x: gb.slice_scatter(x, x, start="a"), TypeError, "start"),
    (lambda x: gb.select_scatter(x, gb.ones(3), 0, 9), gb.IndexOutOfRangeError, "9"),
    (lambda x: gb.select_scatter(x, [1.0], 0, 0), TypeError, "src"),
    (lambda x: gb.diagonal_scatter(x, gb.ones(9)), gb.ShapeError, "src of sizes"),
    (lambda x: gb.ones(2).fill_diagonal_(1.0), gb.ShapeError, "two dims"),
    (lambda x: gb.ones(2, 3, 2).fill_diagonal_(1.0), gb.ShapeError, "all equal"),
    (lambda x: gb.slice_scatter(x, x, out=gb.ones(1)), gb.ShapeError, "out"),
]


@pytest.mark.parametrize(("call", "error", "match"), REFUSED)
def test_what_does_not_fit_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call(gb.ones(2, 3))

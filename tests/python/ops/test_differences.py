"""Slopes by differences, beside NumPy's."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

VALUES = np.random.default_rng(0).normal(size=(4, 6))
ROWS, COLUMNS = np.array([0.0, 0.5, 2.0, 2.25]), np.array([-3.0, -1.0, 0.0, 0.5, 4.0, 5.0])


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(
    ("given", "numpys"),
    [
        (dict, ()),
        (lambda: {"spacing": 2.0}, (2.0,)),
        (lambda: {"spacing": [3, 0.5]}, (3.0, 0.5)),
        (lambda: {"spacing": (gb.tensor(ROWS), gb.tensor(COLUMNS))}, (ROWS, COLUMNS)),
        (lambda: {"spacing": (0.5, gb.tensor(COLUMNS)), "dim": (0, -1)}, (0.5, COLUMNS)),
    ],
)
def test_slopes_are_numpys(order, given, numpys):
    expected = np.gradient(VALUES, *numpys, edge_order=order)

    found = gb.gradient(gb.tensor(VALUES), edge_order=order, **given())

    assert len(found) == 2
    for mine, theirs in zip(found, expected, strict=True):
        assert np.allclose(mine.numpy(), theirs, rtol=1e-12)


def test_one_dim_and_two_places_are_enough():
    (found,) = gb.gradient(gb.tensor([1, 5]), dim=0)

    assert found.tolist() == [4.0, 4.0]
    (found,) = gb.gradient(gb.tensor([1.0, 5.0]), spacing=(gb.tensor([0.0, 2.0]),))
    assert found.tolist() == [2.0, 2.0]
    (found,) = gb.gradient(gb.tensor([1.0, 5.0]), spacing=None)
    assert found.tolist() == [4.0, 4.0]


def test_no_distance_gives_infinite_slopes():
    assert gb.gradient(gb.tensor([0.0, 1.0]), spacing=0)[0].tolist() == [np.inf, np.inf]


def test_slopes_have_gradients_and_leave_nothing():
    x = gb.tensor([1.0, 4.0, 9.0], requires_grad=True)

    with gb.leaks.no_leaks():
        gb.gradient(x)[0].sum().backward()
        assert x.grad.tolist() == [-1.5, 0.0, 1.5]
        x.grad = None


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda x: gb.gradient(x, edge_order=3), ValueError, "edge_order 3"),
        (lambda x: gb.gradient(gb.ones(2), edge_order=2), gb.ShapeError, "3 or more"),
        (lambda x: gb.gradient(x, dim=(1, -1)), gb.ShapeError, "each once"),
        (lambda x: gb.gradient(x, dim=5), gb.IndexOutOfRangeError, "dim 5"),
        (lambda x: gb.gradient(x, spacing=[1.0]), gb.ShapeError, "1 spacings for 2 dims"),
        (lambda x: gb.gradient(x, spacing=[gb.ones(9), 1.0]), gb.ShapeError, "places of sizes"),
        (lambda x: gb.gradient(x, spacing="a"), TypeError, "spacing"),
        (lambda x: gb.gradient([1.0]), TypeError, "input"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call(gb.ones(3, 3))


def test_an_infinity_reaches_its_neighbours_alone():
    (found,) = gb.gradient(gb.tensor([1.0, 2.0, float("inf"), 3.0, 5.0, 7.0]))

    assert found.tolist() == [1.0, float("inf"), 0.5, float("-inf"), 2.0, 2.0]

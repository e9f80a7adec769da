"""Reductions by index, places of flat numbers, and histograms with their edges."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

RNG = np.random.default_rng(0)
TABLE, SOURCE, INDEX = RNG.normal(size=(4, 5)), RNG.normal(size=(4, 3)), [0, 0, 3]
REDUCES = {"prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}


@pytest.mark.parametrize("name", REDUCES)
@pytest.mark.parametrize("includes", [True, False])
def test_rows_are_reduced_where_the_index_sends_them(name, includes):
    expected = TABLE.copy()
    for column in set(INDEX):
        parts = [SOURCE[:, k] for k, to in enumerate(INDEX) if to == column]
        parts += [TABLE[:, column]] if includes else []
        expected[:, column] = REDUCES[name](parts, axis=0)
    x, index, source = gb.tensor(TABLE), gb.tensor(INDEX), gb.tensor(SOURCE)

    found = gb.index_reduce(x, 1, index, source, name, include_self=includes)

    assert np.allclose(found.numpy(), expected)
    assert x.index_reduce_(-1, index.int(), source, name, include_self=includes) is x
    assert np.allclose(x.numpy(), expected)


@pytest.mark.parametrize("width", [4, 2])  # of the index: all of a row, or what it begins with
@pytest.mark.parametrize("includes", [True, False])
def test_a_mean_of_whole_rows_counts_them_once(width, includes):
    table, source, rows = np.ones((3, 4)), np.arange(20.0).reshape(5, 4), [2, 0, 2, 2, 0]
    expected = table.copy()
    for row in set(rows):
        met = [*source[np.equal(rows, row), :width], *([table[row, :width]] if includes else [])]
        expected[row, :width] = np.mean(met, 0)
    x, given = (gb.tensor(a, requires_grad=True) for a in (table, source))

    index = gb.tensor(rows).view(-1, 1).expand(-1, width)
    found = x.scatter_reduce(0, index, given, "mean", include_self=includes)
    found.sum().backward()

    assert np.allclose(found.detach().numpy(), expected)
    shares = 1 / (np.bincount(rows, minlength=3) + includes).clip(1)
    assert np.allclose(given.grad.numpy()[:, :width], shares[rows][:, None])
    assert not given.grad.numpy()[:, width:].any()


@pytest.mark.parametrize(("name", "expected"), [("prod", 6.0), ("mean", 2.5), ("amin", 2.0)])
def test_a_tensor_without_dims_is_one_row(name, expected):
    x, index, source = gb.tensor(2.0, requires_grad=True), gb.tensor([0]), gb.tensor([3.0])

    found = gb.index_reduce(x, -1, index, source, name)
    found.backward()

    assert found.shape == ()
    assert found.item() == expected
    assert x.grad.item() == {"prod": 3.0, "mean": 0.5, "amin": 1.0}[name]
    assert gb.tensor(2.0).index_reduce_(0, index, gb.tensor(3.0), name).item() == expected


def test_a_reduction_by_index_has_gradients():
    x, source = gb.tensor([1.0, 2.0], requires_grad=True), gb.tensor([3.0, 4.0], requires_grad=True)

    with gb.leaks.no_leaks():
        x.index_reduce(0, gb.tensor([1, 1]), source, "prod").sum().backward()
        assert (x.grad.tolist(), source.grad.tolist()) == ([1.0, 12.0], [8.0, 6.0])
        x.grad = source.grad = None


def test_places_of_flat_numbers_are_numpys():
    numbers = [0, 5, 23, 11]

    found = gb.unravel_index(gb.tensor(numbers), (2, 3, 4))

    expected = np.unravel_index(numbers, (2, 3, 4))
    assert [it.tolist() for it in found] == [it.tolist() for it in expected]
    assert [it.tolist() for it in gb.unravel_index(gb.tensor(-1), 4)] == [3]
    assert gb.unravel_index(gb.zeros(0, dtype=gb.int64), (0, 3))[1].shape == (0,)


@pytest.mark.parametrize(("power", "dim"), [(2, 0), (1, -1), (float("inf"), 1)])
def test_long_parts_are_shortened(power, dim):
    x = gb.tensor(TABLE)

    found = gb.renorm(x, power, dim, 1.5)

    lengths = np.linalg.norm(TABLE, power, axis=1 - dim % 2)
    wanted = np.minimum(lengths, 1.5)
    assert np.allclose(np.linalg.norm(found.numpy(), power, axis=1 - dim % 2), wanted, rtol=1e-6)
    assert np.allclose(x.renorm(power, dim, 1e9).numpy(), TABLE)
    assert x.renorm_(power, dim, 1.5) is x
    assert gb.equal(x, found)


@pytest.mark.parametrize("options", [{}, {"range": (-1.0, 1.0)}, {"density": True}])
def test_histograms_are_numpys(options):
    numbers = RNG.normal(size=200)
    weight = np.abs(numbers)

    found = gb.histogram(gb.tensor(numbers), 7, weight=gb.tensor(weight), **options)

    hist, edges = np.histogram(numbers, 7, weights=weight, **options)
    assert np.allclose(found.hist.numpy(), hist)
    assert np.allclose(found.bin_edges.numpy(), edges)


def test_histograms_take_edges_and_numbers_that_are_all_the_same():
    edges = gb.tensor([0.0, 1.0, 10.0])

    found = gb.tensor([0.0, 0.5, 1.0, 10.0, 11.0]).histogram(edges)

    assert found.hist.tolist() == [2.0, 2.0]
    assert gb.histogram(gb.ones(3), 2).bin_edges.tolist() == [0.5, 1.0, 1.5]
    assert gb.histogram(gb.ones(0), 2).hist.tolist() == [0.0, 0.0]


REFUSED = [
    (lambda x: gb.index_reduce(x, 0, gb.tensor([0]), x, "prod"), gb.ShapeError, "as many rows"),
    (lambda x: gb.index_reduce(x, 5, gb.tensor([0]), x, "prod"), gb.IndexOutOfRangeError, "dim 5"),
    (lambda x: gb.index_reduce(x, 0, gb.tensor([0, 2]), x, "prod"), gb.IndexOutOfRangeError, "2"),
    (lambda x: gb.index_reduce(x, 0, gb.tensor([0, 1]), x, "sum"), ValueError, "reduce"),
    (
        lambda x: gb.index_reduce(x, 0, gb.tensor([0.0, 1.0]), x, "prod"),
        gb.DTypeError,
        "an index of",
    ),
    (
        lambda x: gb.index_reduce(x, 0, gb.tensor([0, 1]), x.double(), "prod"),
        gb.DTypeError,
        "source",
    ),
    (lambda x: gb.unravel_index(gb.tensor([6]), (2, 3)), gb.IndexOutOfRangeError, "number 6"),
    (lambda x: gb.unravel_index(gb.tensor([-7]), (2, 3)), gb.IndexOutOfRangeError, "number -7"),
    (lambda x: gb.unravel_index(gb.tensor([1.0]), (2,)), gb.DTypeError, "integers are needed"),
    (lambda x: gb.renorm(x, 0, 0, 1), ValueError, "above 0"),
    (lambda x: gb.renorm(x, 2, 2, 1), gb.IndexOutOfRangeError, "dim 2"),
    (lambda x: gb.renorm(gb.ones(3), 2, 0, 1), gb.ShapeError, "two dims"),
    (lambda x: gb.histogram(x, 0), ValueError, "bins"),
    (lambda x: gb.histogram(x, 2, range=(1.0, 0.0)), ValueError, "ascending"),
    (lambda x: gb.histogram(x * float("nan"), 2), ValueError, "finite"),
    (lambda x: gb.histogram(x, gb.ones(3), range=(0.0, 1.0)), ValueError, "beside edges"),
    (lambda x: gb.histogram(x, 2, weight=gb.ones(2)), gb.ShapeError, "weight of sizes"),
    (lambda x: gb.histogram(x.long(), 2), gb.DTypeError, "float32 or float64"),
    (
        lambda x: gb.histogramdd(x[:, None], 2, range={0.0: 1}),
        TypeError,
        "a list or tuple of numbers",
    ),
]


@pytest.mark.parametrize(("call", "error", "match"), REFUSED)
def test_what_does_not_fit_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call(gb.ones(2, 3))

"""Methods that write by index or by mask: what they share with functions, mistakes, threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard import DTypeError, IndexOutOfRangeError, ShapeError
from garboard.memory import fail_every_allocation

from tests.support.finite_differences import check_first_order, check_second_order


def index() -> gb.Tensor:
    return gb.tensor([2, 0])


def full() -> gb.Tensor:
    return gb.tensor([[2, 0, 1, 2], [0, 1, 2, 0]])


def mask() -> gb.Tensor:
    return gb.tensor([[True, False, False, True], [False] * 4, [True] * 4])


# A call on [3, 4] and a source of the sizes named, as a function and as a method in place.
WAYS: dict[str, tuple[tuple[int, ...], Callable[[Any, Any, str], Any]]] = {
    "scatter": ((2, 4), lambda x, y, end: getattr(x, "scatter" + end)(0, full(), y)),
    "scatter_value": ((), lambda x, y, end: getattr(x, "scatter" + end)(0, full(), 7)),
    "scatter_add": ((2, 4), lambda x, y, end: getattr(x, "scatter_add" + end)(0, full(), y)),
    "scatter_reduce": (
        (2, 4),
        lambda x, y, end: getattr(x, "scatter_reduce" + end)(0, full(), y, "prod"),
    ),
    "index_add": ((2, 4), lambda x, y, end: getattr(x, "index_add" + end)(0, index(), y, alpha=3)),
    "index_copy": ((2, 4), lambda x, y, end: getattr(x, "index_copy" + end)(0, index(), y)),
    "index_fill": ((), lambda x, y, end: getattr(x, "index_fill" + end)(0, index(), y)),
    "index_put": ((2, 4), lambda x, y, end: getattr(x, "index_put" + end)((index(),), y, True)),
    "put": ((2,), lambda x, y, end: getattr(x, "put" + end)(index(), y)),
    "masked_fill": ((), lambda x, y, end: getattr(x, "masked_fill" + end)(mask(), y)),
    "masked_scatter": ((6,), lambda x, y, end: getattr(x, "masked_scatter" + end)(mask(), y)),
}


def arrays(name: str) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [rng.uniform(1, 2, (3, 4)), rng.uniform(1, 2, WAYS[name][0])]


@pytest.mark.parametrize("name", WAYS)
class TestEveryMethod:
    def test_writes_what_the_function_returns(self, name):
        call = WAYS[name][1]
        x, y = map(gb.tensor, arrays(name))
        before = x.tolist()
        expected = call(x, y, "")
        assert x.tolist() == before

        result = call(x, y, "_")

        assert result is x
        assert x.tolist() == expected.tolist()
        assert x._version == 1

    def test_writes_into_a_view_of_any_strides(self, name):
        call = WAYS[name][1]
        x, y = map(gb.tensor, arrays(name))
        wide = gb.zeros(8, 3, dtype=gb.float64)
        view = wide[::-2].T
        view.copy_(x)

        call(view, y, "_")

        assert view.tolist() == call(x, y, "").tolist()
        assert wide[::2].sum().item() == 0

    def test_has_the_slopes_of_both_sides(self, name):
        call = WAYS[name][1]

        def written(x: gb.Tensor, y: gb.Tensor) -> gb.Tensor:
            whole = gb.stack([x, x * 2])
            call(whole[0], y * y, "_")
            return whole * whole

        # An element that is overwritten has a gradient yet, as in PyTorch.
        if name != "scatter":
            check_first_order(written, arrays(name))
            check_second_order(written, arrays(name))

    def test_leaves_no_bytes_behind(self, name):
        x, y = (gb.tensor(array, requires_grad=True) for array in arrays(name))
        before = gb.memory.live()

        with gb.dispose_scope():
            WAYS[name][1](x * 1, y, "_").sum().backward()
            x.grad = y.grad = None

        assert gb.memory.live() == before

    def test_changes_nothing_when_an_allocation_fails(self, name):
        x, y = map(gb.tensor, arrays(name))

        def run():
            self = x.clone()
            version, before = self._version, self.tolist()
            try:
                WAYS[name][1](self, y, "_")
            except gb.OutOfMemoryError:
                assert (self._version, self.tolist()) == (version, before)
                raise

        fail_every_allocation(run)

    def test_refuses_a_tensor_that_meets_an_element_twice(self, name):
        wide = gb.zeros(1, 4, dtype=gb.float64).expand(3, 4)

        with pytest.raises(ShapeError, match=r".*meet some elements more than once; .+"):
            WAYS[name][1](wide, gb.tensor(arrays(name)[1]), "_")


MISTAKES: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "gather beyond": (lambda x: x.gather(0, full() + 1), IndexOutOfRangeError, "index 3 .*0, 2"),
    "gather below": (lambda x: x.gather(0, full() - 1), IndexOutOfRangeError, "index -1 .*0, 2"),
    "gather dims": (lambda x: x.gather(0, index()), ShapeError, r"index of sizes \[2\]"),
    "gather sizes": (lambda x: x.gather(0, gb.zeros(2, 5).long()), ShapeError, "no larger size"),
    "gather dtype": (lambda x: x.gather(0, full().float()), DTypeError, "float32; int64 or int32"),
    "gather dim": (lambda x: x.gather(2, full()), IndexOutOfRangeError, "dim 2 of a tensor of 2"),
    "scatter_ beyond": (lambda x: x.scatter_(0, full() + 1, 1.0), IndexOutOfRangeError, "index 3"),
    "scatter_ dtype": (
        lambda x: x.scatter_(0, full(), full()),
        DTypeError,
        "source of dtype int64",
    ),
    "scatter_ sizes": (lambda x: x.scatter_(0, full(), x[:1]), ShapeError, r"source of sizes \[1"),
    "scatter_add_ sizes": (
        lambda x: x.scatter_add_(0, full(), x[:1]),
        ShapeError,
        r"source of sizes \[1, 4\]",
    ),
    "scatter_reduce bool": (
        lambda x: (x > 0).scatter_reduce(0, full(), x[:2] > 0, "mean"),
        DTypeError,
        "bool; .*number",
    ),
    "scatter_reduce_ beyond": (
        lambda x: x.scatter_reduce_(0, full() + 1, x[:2] + 1, "sum"),
        IndexOutOfRangeError,
        "index 3",
    ),
    "index_select below": (
        lambda x: x.index_select(0, index() - 1),
        IndexOutOfRangeError,
        "index -1",
    ),
    "index_select dims": (lambda x: x.index_select(0, full()), ShapeError, r"use x\[index\]"),
    "index_add_ beyond": (
        lambda x: x.index_add_(0, index() + 1, x[:2] + 1),
        IndexOutOfRangeError,
        "index 3",
    ),
    "index_add_ sizes": (
        lambda x: x.index_add_(0, index(), x),
        ShapeError,
        r"sizes \[2, 4\] are needed",
    ),
    "index_copy_ sizes": (
        lambda x: x.index_copy_(1, index(), x[:2]),
        ShapeError,
        r"\[3, 2\] are needed",
    ),
    "index_fill_ value": (
        lambda x: x.index_fill_(0, index(), x),
        ShapeError,
        "without dims is needed",
    ),
    "index_put_ dtype": (
        lambda x: x.index_put_((index(),), index()),
        DTypeError,
        "values of dtype int64",
    ),
    "index_put_ list": (lambda x: x.index_put_((1,), x), TypeError, "element 0 of indices is of"),
    "take beyond": (
        lambda x: x.take(index() + 10),
        IndexOutOfRangeError,
        "index 12 .* size 12; .*-12",
    ),
    "put_ beyond": (lambda x: x.put_(index() + 10, x[0, :2] + 1), IndexOutOfRangeError, "index 12"),
    "put_ count": (
        lambda x: x.put_(index(), x),
        ShapeError,
        "source of 12 elements for an index of 2",
    ),
    "masked_fill_ dtype": (lambda x: x.masked_fill_(full(), 1), DTypeError, "mask of dtype int64"),
    "masked_fill_ sizes": (lambda x: x.masked_fill_(gb.ones(2, 4) > 0, 1), ShapeError, "differ"),
    "masked_fill_ value": (lambda x: x.masked_fill_(mask(), x[0]), ShapeError, "without dims"),
    "masked_scatter_ few": (
        lambda x: x.masked_scatter_(mask(), x[0]),
        ShapeError,
        "4 elements for",
    ),
    "masked_select dtype": (lambda x: x.masked_select(x), DTypeError, "mask of dtype float32"),
    "embedding": (
        lambda x: gb.nn.functional.embedding(full() + 1, x),
        IndexOutOfRangeError,
        "index 3 along dim 0",
    ),
    "embedding padding": (
        lambda x: gb.nn.functional.embedding(full(), x, padding_idx=3),
        IndexOutOfRangeError,
        "padding_idx 3 for 3 rows",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refused_and_changes_nothing(name):
    call, error, told = MISTAKES[name]
    x = gb.zeros(3, 4)
    before = gb.memory.live()

    with pytest.raises(error, match=rf"^{name.split()[0]}: .*{told}"):
        call(x)

    assert not x.any().item()
    assert x._version == 0
    assert gb.memory.live() == before


def test_sums_have_the_same_bits_with_any_number_of_threads():
    rng = np.random.default_rng(2)
    places = gb.tensor(rng.integers(0, 3000, 200_000))
    rows = gb.tensor(rng.standard_normal((20_000, 64)), dtype=gb.float32)
    numbers = gb.tensor(rng.standard_normal(200_000), dtype=gb.float32)
    before, found = gb.get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            found.append(
                (
                    gb.zeros(3000).index_add_(0, places, numbers).tolist(),
                    gb.zeros(3000, 64).index_add_(0, places[:20_000], rows).sum(0).tolist(),
                    gb.zeros(3000).scatter_(0, places, numbers).tolist(),
                    gb.arange(200_000)[numbers > 0].sum().item(),
                )
            )
    finally:
        gb.set_num_threads(before)

    assert found[0] == found[1] == found[2]


class TestEmbedding:
    def test_gives_the_padding_row_no_gradient(self):
        weight = gb.ones(3, 2, requires_grad=True)

        gb.nn.functional.embedding(gb.tensor([0, 2, 2]), weight, padding_idx=-1).sum().backward()

        assert weight.grad.tolist() == [[1, 1], [0, 0], [0, 0]]

    def test_one_hot_marks_the_class(self):
        one_hot = gb.nn.functional.one_hot

        assert one_hot(gb.tensor([[0], [2]])).tolist() == [[[1, 0, 0]], [[0, 0, 1]]]
        assert one_hot(gb.tensor([1]), 4).tolist() == [[0, 1, 0, 0]]
        assert one_hot(gb.zeros(0, dtype=gb.int64), 2).shape == (0, 2)
        with pytest.raises(IndexOutOfRangeError, match=r"^one_hot: class 3 .*; .+"):
            one_hot(gb.tensor([3]), 3)
        with pytest.raises(IndexOutOfRangeError, match=r"^one_hot: class -1 .*; .+"):
            one_hot(gb.tensor([-1]))
        with pytest.raises(ShapeError, match=r"^one_hot: no elements.*; .+"):
            one_hot(gb.zeros(0, dtype=gb.int64))


class TestWhere:
    def test_of_a_condition_alone_tells_the_places(self):
        rows, columns = gb.where(gb.tensor([[0, 1], [2, 0]]))

        assert (rows.tolist(), columns.tolist()) == ([0, 1], [1, 0])
        assert [x.tolist() for x in gb.nonzero(gb.tensor(5), as_tuple=True)] == [[0]]

    def test_takes_numbers_for_both(self):
        assert gb.where(gb.tensor([True, False]), 1.5, 0).tolist() == [1.5, 0]

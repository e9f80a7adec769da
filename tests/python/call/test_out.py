"""`out=`: what is made goes into a tensor that was given, and that very tensor comes back."""

from __future__ import annotations

import inspect
from typing import Any

import garboard as gb
import pytest

from tests.python.ops.op_row import Row
from tests.python.ops.op_table import ROWS


def takes_out(row: Row) -> bool:
    function = row.op or getattr(gb, row.name, None)
    return bool(function) and "out" in inspect.signature(function).parameters


def written(row: Row, inputs: list[Any], out: Any) -> Any:
    case = row.cases[0]
    function = row.op or getattr(gb, row.name)
    given = (inputs,) if row.takes_list else inputs
    return function(*given, *case.arguments, **case.named, out=out)


OF_TABLE = [row for row in ROWS if takes_out(row) and not row.takes_out]
MATRIX = [[4.0, 2.0], [2.0, 5.0]]
#: Functions that are written in Python, or whose rows take other arguments.
OTHERS: list[tuple[str, tuple[Any, ...]]] = [
    *((f"linalg.{name}", (MATRIX,)) for name in ("cholesky", "det", "inv", "pinv", "cond")),
    *((f"linalg.{name}", (MATRIX,)) for name in ("matrix_rank", "svdvals", "eigvalsh", "norm")),
    *((f"linalg.{name}", (MATRIX,)) for name in ("matrix_norm", "vector_norm")),
    *((f"linalg.{name}", (MATRIX, MATRIX)) for name in ("solve", "matmul", "vecdot")),
    *((name, (MATRIX,)) for name in ("inverse", "cholesky", "cholesky_inverse")),
    *((name, (MATRIX, 2)) for name in ("matrix_power", "linalg.matrix_power")),
    *((name, (MATRIX, MATRIX)) for name in ("cholesky_solve", "tensordot", "isin", "dist")),
    *((f"nn.functional.{name}", (MATRIX,)) for name in ("softshrink", "hardshrink", "softplus")),
    *((f"nn.functional.{name}", (MATRIX,)) for name in ("logsigmoid", "normalize")),
]


def of(path: str) -> Any:
    thing: Any = gb
    for name in path.split("."):
        thing = getattr(thing, name)
    return thing


class TestEveryFunctionThatTakesOut:
    def test_is_one_of_many(self):
        assert len(OF_TABLE) > 60

    @pytest.mark.parametrize("row", OF_TABLE, ids=lambda row: row.name)
    def test_writes_there_and_returns_it(self, row):
        inputs = row.inputs(row.dtypes[0])
        expected = row.call(*inputs, case=row.cases[0])
        several = isinstance(expected, tuple)
        results = expected if several else (expected,)
        places = tuple(
            gb.zeros(it.shape[::-1], dtype=it.dtype).permute(*range(it.ndim)[::-1])
            for it in results
        )
        before = gb.memory.live()

        found = written(row, inputs, places if several else places[0])

        assert all(a is b for a, b in zip(found if several else (found,), places, strict=True))
        assert [it.tolist() for it in places] == [it.tolist() for it in results]
        del found
        assert gb.memory.live() == before

    @pytest.mark.parametrize(("name", "given"), OTHERS, ids=[name for name, _ in OTHERS])
    def test_written_in_python_too(self, name, given):
        inputs = [gb.tensor(it) if isinstance(it, list) else it for it in given]
        expected = of(name)(*inputs)
        out = gb.zeros_like(expected)

        found = of(name)(*inputs, out=out)

        assert found is out
        assert out.tolist() == expected.tolist()
        with pytest.raises(gb.ShapeError, match="out has sizes"):
            of(name)(*inputs, out=gb.zeros(7, 7, 7, dtype=expected.dtype))

    def test_may_write_into_what_it_reads(self):
        x = gb.tensor([1.0, 2.0, 3.0])

        found = gb.cumsum(x, 0, out=x)

        assert found is x
        assert x.tolist() == [1.0, 3.0, 6.0]

    def test_takes_none_for_nothing(self):
        assert gb.sum(gb.ones(3), out=None).item() == 3.0

    def test_is_shown_by_signature_and_docstring(self):
        assert str(inspect.signature(gb.cat)) == "(tensors, dim=0, *, out=None)"
        assert "\n    out: " in (gb.cat.__doc__ or "")


class TestWhatMakesTensors:
    @pytest.mark.parametrize("dtype", [gb.float32, gb.int64, gb.float64])
    def test_takes_dtype_and_device_of_out(self, dtype):
        out = gb.full((3,), 7, dtype=dtype)

        assert gb.arange(3, out=out) is out
        assert out.tolist() == [0, 1, 2]
        assert gb.ones(3, out=out).dtype == dtype
        assert gb.full((3,), 5, out=out).tolist() == [5, 5, 5]
        assert gb.linspace(0, 4, 3, out=out).tolist() == [0, 2, 4]

    def test_draws_there(self):
        out = gb.zeros(100)

        gb.manual_seed(3)
        gb.rand(100, out=out)
        gb.manual_seed(3)

        assert out.tolist() == gb.rand(100).tolist()


class TestWhatOutRefuses:
    @pytest.mark.parametrize(
        ("given", "error", "words"),
        [
            (lambda: 3, TypeError, "out is of type int; a Tensor"),
            (lambda: (gb.ones(3),), TypeError, "out is of type tuple; a Tensor"),
            (lambda: gb.ones(2), gb.ShapeError, r"out has sizes \[2\], the result \[3\]"),
            (lambda: gb.ones(1).expand(3), gb.ShapeError, "more than once"),
            (lambda: gb.ones(3, dtype=gb.int64), gb.DTypeError, "float32 does not fit into int64"),
            (lambda: gb.ones(3).requires_grad_(), gb.GradientError, "out= given while"),
        ],
    )
    def test_what_cannot_take_the_result(self, given, error, words):
        x = gb.ones(2, 3)

        with pytest.raises(error, match=words):
            gb.sum(x, 0, out=given())

    def test_a_disposed_one_before_anything_is_computed(self):
        out = gb.ones(3)
        out.dispose()

        with pytest.raises(gb.DisposedError):
            gb.sum(gb.ones(2, 3), 5, out=out)

    def test_gradients_but_inside_no_grad(self):
        x = gb.ones(3).requires_grad_()
        out = gb.zeros(())

        with pytest.raises(gb.GradientError, match="inside no_grad"):
            gb.mean(x, out=out)
        with gb.no_grad():
            assert gb.mean(x, out=out) is out
        assert out.item() == 1.0

    def test_functions_without_it(self):
        with pytest.raises(TypeError, match="no parameter is named 'out'"):
            gb.equal(gb.ones(1), gb.ones(1), out=gb.ones(1))


class TestSeveralResults:
    def test_go_into_as_many_tensors(self):
        x = gb.tensor([[1.0, 5.0], [7.0, 3.0]])
        values, places = gb.zeros(2), gb.zeros(2, dtype=gb.int64)

        found = gb.max(x, 1, out=(values, places))

        assert found.values is values
        assert found.indices is places
        assert (values.tolist(), places.tolist()) == ([5.0, 7.0], [1, 0])

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            (lambda: gb.ones(2), TypeError),
            (lambda: (gb.ones(2),), gb.ShapeError),
            (lambda: (gb.ones(2), 3), TypeError),
            (lambda: [gb.ones(2), gb.ones(2, dtype=gb.int64), gb.ones(2)], gb.ShapeError),
        ],
    )
    def test_are_refused_where_the_counts_differ(self, given, error):
        with pytest.raises(error, match=r"^sort: out"):
            gb.sort(gb.ones(2), out=given())

    def test_write_nothing_unless_all_fit(self):
        values, places = gb.zeros(2), gb.zeros(3, dtype=gb.int64)

        with pytest.raises(gb.ShapeError):
            gb.sort(gb.tensor([2.0, 1.0]), out=(values, places))

        assert values.tolist() == [0.0, 0.0]

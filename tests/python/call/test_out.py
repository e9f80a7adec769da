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


def many(*sizes: int) -> gb.Tensor:
    return gb.linspace(-1, 1, gb.Size(sizes).numel()).reshape(sizes)


#: Calls whose result is written into `out` at once, of operands made by `many`.
AT_ONCE: dict[str, tuple[tuple[int, ...], Any]] = {
    "mm": ((300, 200), lambda x, **to: gb.mm(x, x.t(), **to)),
    "bmm": ((3, 90, 80), lambda x, **to: gb.bmm(x, x.mT, **to)),
    "matmul": ((3, 90, 80), lambda x, **to: gb.matmul(x, x[0].t(), **to)),
    "cat": ((300, 200), lambda x, **to: gb.cat([x, x], 1, **to)),
    "stack": ((300, 200), lambda x, **to: gb.stack((x, x), **to)),
    "vstack": ((300, 200), lambda x, **to: gb.vstack([x, x], **to)),
    "cumsum": ((300, 200), lambda x, **to: gb.cumsum(x, 0, **to)),
    "cumprod": ((300, 200), lambda x, **to: gb.cumprod(x, 1, **to)),
    "logcumsumexp": ((300, 200), lambda x, **to: gb.logcumsumexp(x, 1, **to)),
    "softmax": ((300, 200), lambda x, **to: gb.softmax(x, 1, **to)),
    "sum": ((2, 40_000), lambda x, **to: gb.sum(x, 0, **to)),
    "amax": ((2, 40_000), lambda x, **to: gb.amax(x, 0, **to)),
    "zeros": ((), lambda _, **to: gb.zeros(300, 200, **to)),
    "full": ((), lambda _, **to: gb.full((300, 200), 2.5, **to)),
    "addcmul of rows": ((600, 600), lambda x, **to: gb.addcmul(x, x, x[0], **to)),
    "addcmul": ((600, 600), lambda x, **to: gb.addcmul(x, x, x, **to)),
}


class TestWrittenAtOnce:
    @pytest.mark.parametrize("name", AT_ONCE)
    def test_takes_no_memory_for_the_result(self, name, no_leaks):
        sizes, call = AT_ONCE[name]
        x = many(*sizes)
        expected = call(x)
        out = gb.empty_like(expected)
        version = out._version
        gb.memory.reset_peak_memory_stats()
        before = gb.memory.peak().bytes

        assert call(x, out=out) is out

        assert gb.memory.peak().bytes - before < out.nbytes // 2
        assert out.equal(expected)
        assert out._version > version

    @pytest.mark.parametrize("name", AT_ONCE)
    def test_is_right_where_out_looks_into_an_operand(self, name):
        sizes, call = AT_ONCE[name]
        expected = call(many(*sizes))
        x = gb.empty(max(2 * expected.numel(), many(*sizes).numel()))
        given = x[: many(*sizes).numel()].view(sizes)
        for start in (0, expected.numel() // 2):
            given.copy_(many(*sizes))
            out = x[start : start + expected.numel()].view(expected.shape)

            assert call(given, out=out) is out

            assert out.equal(expected), start

    @pytest.mark.parametrize("name", AT_ONCE)
    def test_is_right_in_other_strides_and_dtypes(self, name):
        sizes, call = AT_ONCE[name]
        expected = call(many(*sizes))
        turned = gb.empty(expected.shape[::-1]).permute(*range(expected.ndim)[::-1])
        wide = gb.empty(expected.shape, dtype=gb.float64)

        call(many(*sizes), out=turned)
        assert turned.equal(expected)
        if name not in ("zeros", "full"):  # which take their dtype from it
            call(many(*sizes), out=wide)
            assert wide.equal(expected.double())

    @pytest.mark.parametrize("name", [name for name, (sizes, _) in AT_ONCE.items() if sizes])
    def test_leaves_out_alone_where_a_gradient_is_asked_for(self, name):
        sizes, call = AT_ONCE[name]
        x = many(*sizes).requires_grad_()
        out = gb.full_like(call(x.detach()), 7.0)

        with pytest.raises(gb.GradientError, match="inside no_grad"):
            call(x, out=out)

        assert out.unique().tolist() == [7.0]
        with gb.no_grad():
            assert call(x, out=out).equal(call(x))
        assert not out.requires_grad

    def test_leaves_out_alone_where_it_asks_for_a_gradient(self):
        out = gb.ones(3, 3, requires_grad=True)

        with pytest.raises(gb.GradientError):
            gb.mm(gb.eye(3), gb.eye(3), out=out)

        assert out.tolist() == gb.ones(3, 3).tolist()

    def test_spoils_what_a_graph_has_kept_of_out(self):
        weight = gb.ones(3, 3, requires_grad=True)
        out = gb.full((3, 3), 2.0)
        loss = (weight * out).sum()

        gb.mm(gb.eye(3), gb.eye(3), out=out)

        with pytest.raises(gb.VersionError, match="written in place"):
            loss.backward()

    def test_is_for_the_call_alone_and_not_for_what_its_numbers_run(self):
        seen = []

        class Dim:
            def __index__(self) -> int:
                seen.append(gb.cumsum(gb.ones(4), 0))
                return 0

        out = gb.empty(4)
        gb.cumsum(gb.full((4,), 3.0), Dim(), out=out)

        assert out.tolist() == [3.0, 6.0, 9.0, 12.0]
        assert seen[0].tolist() == [1.0, 2.0, 3.0, 4.0]


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

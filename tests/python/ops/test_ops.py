"""Every op of the table: values, layouts, gradients, in-place forms, `out=`, and what is left."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import garboard as gb
import numpy as np
import pytest
from garboard import _engine

from tests.python.ops.op_row import ALL, FLOATS, Case, Row
from tests.python.ops.op_table import ELSEWHERE, ROWS
from tests.support.finite_differences import check_first_order, check_second_order


def of_rows(which: Callable[[Row], bool], *dtypes: str) -> pytest.MarkDecorator:
    """Parametrize over the rows that `which` holds for, and the dtypes that they take."""
    chosen = [row for row in ROWS if which(row)]
    if not dtypes:
        return pytest.mark.parametrize("row", chosen, ids=attrgetter("name"))
    both = [(row, dtype) for row in chosen for dtype in dtypes if dtype in row.dtypes]
    return pytest.mark.parametrize(("row", "dtype"), both, ids=lambda it: getattr(it, "name", it))


def has_gradient(row: Row) -> bool:
    return row.gradient_order > 0


def has_out(row: Row) -> bool:
    return row.takes_out


def takes_any_layout(row: Row) -> bool:
    return row.name not in ("view", "view_as", "as_strided")  # see test_tensor.py, test_windows.py


def is_function_and_method(row: Row) -> bool:
    return {entry[4] for entry in _engine._op_table() if entry[0] == row.name} == {True, False}


def outputs(result) -> list[gb.Tensor]:
    return list(result) if isinstance(result, tuple) else [result]


def check(row: Row, got: gb.Tensor, expected: np.ndarray, arrays: list[np.ndarray], wanted: str):
    """Compare sizes, dtype and every element, by the row's tolerance."""
    values = got.detach().numpy()
    assert got.dtype == getattr(gb, wanted)
    assert got.shape == expected.shape
    with np.errstate(all="ignore"):
        rounded = expected.astype(wanted)
        if rounded.dtype.kind != "f":
            np.testing.assert_array_equal(values, rounded)
            return
        finite = np.isfinite(rounded)
        np.testing.assert_array_equal(values[~finite], rounded[~finite])
        exact = expected[finite].astype(np.longdouble)
        size = np.minimum(np.abs(rounded[finite]), np.finfo(wanted).max / 2)
        allowed = row.ulps * np.spacing(size).astype(np.longdouble)
        if row.terms:
            scale = np.prod([np.abs(a).max(initial=1) for a in arrays if a.dtype.kind == "f"])
            allowed += row.terms * np.finfo(wanted).eps * (np.abs(exact) + scale)
        error = np.abs(values[finite].astype(np.longdouble) - exact)
    worst = np.argmax(error - allowed) if error.size else 0
    assert (error <= allowed).all(), (values[finite][worst], exact[worst], allowed[worst])


def strided(array: np.ndarray, reverse: bool) -> gb.Tensor:
    """Return the same elements at an offset, with gaps and in another order of memory."""
    wide = np.full([2 * size + 3 for size in array.shape[::-1]], 77).astype(array.dtype)
    cut = tuple(slice(1, 2 * size + 1, 2) for size in array.shape[::-1])
    if reverse:
        cut = tuple(slice(2 * size + 1, 1, -2) for size in array.shape[::-1])
    wide[cut] = array.T
    dims = range(array.ndim)[::-1]
    return gb.tensor(wide)[cut].permute(*dims)


class TestTheTable:
    def test_has_a_row_or_another_test_for_every_public_name(self):
        rows = {row.name for row in ROWS}
        rows |= {f"{row.name}_" for row in ROWS if row.has_in_place}
        elsewhere = {name for names in ELSEWHERE.values() for name in names.split()}
        public = {entry[0] for entry in _engine._op_table() if not entry[0].startswith("_")}

        assert public - rows - elsewhere == set()
        own = {row.name for row in ROWS if row.op}  # of a function of Python's, perhaps
        assert (rows | elsewhere) - public - own == set()
        assert rows & elsewhere == set()

    @pytest.mark.parametrize("file", ELSEWHERE)
    def test_names_files_that_call_what_they_are_said_to_test(self, file):
        paths = Path(__file__).parents[1].rglob(file)
        text = "".join(path.read_text(encoding="utf-8") for path in paths)

        unused = [name for name in ELSEWHERE[file].split() if f".{name}(" not in text]

        assert unused == []

    def test_documents_every_name(self):
        summaries = {entry[0]: entry[3] for entry in _engine._op_table()}

        assert [name for name, summary in summaries.items() if not summary.endswith(".")] == []
        assert gb.exp.__doc__.startswith("Compute e to the power of `input`.\n")


def check_all(row: Row, case: Case, tensors: list[gb.Tensor], arrays: list[np.ndarray]):
    """Run the op and compare whatever it returns."""
    results = row.call(*tensors, case=case)

    own = row.result(str(tensors[-1 if row.name == "where" else 0].dtype).split(".")[1])
    is_named = isinstance(results, gb.ValuesAndIndices)
    dtypes = [own, "int64"] if is_named else [own] * len(outputs(results))
    all_expected = row.expected(arrays, case)
    for got, expected, dtype in zip(outputs(results), all_expected, dtypes, strict=True):
        check(row, got, expected, arrays, dtype)


class TestEveryOp:
    @of_rows(lambda row: True, *ALL)
    def test_agrees_with_numpy(self, row, dtype):
        for case in row.cases:
            arrays = row.arrays(case, dtype, seed=11)

            check_all(row, case, [gb.tensor(array) for array in arrays], arrays)

    @pytest.mark.parametrize("reverse", [False, True], ids=["gaps", "backwards"])
    @of_rows(takes_any_layout)
    def test_reads_strided_inputs(self, row, reverse):
        for case in row.cases:
            arrays = row.arrays(case, row.dtypes[0], seed=12)

            check_all(row, case, [strided(array, reverse) for array in arrays], arrays)

    @of_rows(lambda row: set(row.dtypes) != set(ALL))
    def test_refuses_other_dtypes(self, row):
        storages = gb.memory.live().storages
        for dtype in set(ALL) - set(row.dtypes):
            with gb.dispose_scope():
                inputs = row.inputs(dtype)

                with pytest.raises(gb.DTypeError, match=rf"^{row.name}: .*{dtype}.*; .+"):
                    row.call(*inputs, case=row.cases[0])

                assert gb.memory.live().storages == storages + len(inputs)

    # x.where(condition, other): as a method its arguments stand in another order.
    @of_rows(lambda row: row.op is None and row.name != "where" and is_function_and_method(row))
    def test_is_a_method_as_well(self, row):
        case = row.cases[0]
        inputs = row.inputs(row.dtypes[0])

        method = getattr(inputs[0], row.name)(*inputs[1:], *case.arguments, **case.named)
        function = row.call(*inputs, case=case)

        for got, expected in zip(outputs(method), outputs(function), strict=True):
            assert got.tolist() == expected.tolist()

    @of_rows(lambda row: True, "float64", "int32")
    def test_leaves_no_bytes_behind(self, row, dtype):
        inputs = row.inputs(dtype)
        before = gb.memory.live()

        with gb.dispose_scope():
            row.call(*inputs, case=row.cases[0])

        assert gb.memory.live() == before
        assert gb.memory.memory_allocated() == before.bytes


class TestEveryGradient:
    @of_rows(has_gradient)
    def test_is_the_slope_of_finite_differences(self, row):
        for case, arrays in gradient_cases(row):
            check_first_order(lambda *x, case=case: row.call(*x, case=case), arrays)

    @of_rows(has_gradient)
    def test_has_the_curvature_of_finite_differences(self, row):
        case, arrays = gradient_cases(row)[0]

        check_second_order(lambda *x: row.call(*x, case=case), arrays)

    @of_rows(lambda row: has_gradient(row) and takes_any_layout(row))
    def test_reaches_inputs_through_views(self, row):
        case, arrays = gradient_cases(row)[0]

        check_first_order(
            lambda *x: row.call(*(y.permute(*range(y.ndim)[::-1]) for y in x), case=case),
            [np.array(array.T, order="C") for array in arrays],
        )

    @of_rows(has_gradient)
    def test_leaves_no_bytes_behind(self, row):
        _, arrays = gradient_cases(row)[0]
        before = gb.memory.live()

        with gb.dispose_scope():
            leaves = [gb.tensor(a).requires_grad_(a.dtype.kind == "f") for a in arrays]
            outputs(row.call(*leaves, case=row.cases[0]))[0].sum().backward()
            del leaves

        assert gb.memory.live() == before

    @of_rows(lambda row: not has_gradient(row) and not row.has_partial_gradient, "float64")
    def test_is_not_asked_for_where_there_is_none(self, row, dtype):
        inputs = [tensor.requires_grad_() for tensor in row.inputs(dtype)]

        result = row.call(*inputs, case=row.cases[0])

        assert not result.requires_grad
        assert result.grad_fn is None


class TestEveryElementwiseOp:
    @of_rows(lambda row: row.specials, *FLOATS)
    def test_gives_what_ieee_arithmetic_gives_for_special_numbers(self, row, dtype):
        largest, tiny = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
        ends = [0.0, -0.0, 1, -1, 2.5, -3, largest, -largest, tiny, np.inf, -np.inf, np.nan]
        grid = np.meshgrid(*[np.array(ends, dtype)] * len(row.draws), indexing="ij")
        arrays = [np.ascontiguousarray(axis.ravel()) for axis in grid]
        case = Case(tuple(array.shape for array in arrays))

        check_all(row, case, [gb.tensor(array) for array in arrays], arrays)

    @of_rows(lambda row: row.has_in_place, "float32", "int32")
    def test_in_place_writes_what_the_op_returns(self, row, dtype):
        inputs = row.inputs(dtype)
        result_dtype = row.result(dtype)
        if result_dtype in FLOATS and dtype not in FLOATS:
            with pytest.raises(gb.DTypeError, match=f"^{row.name}: .*{result_dtype}.*{dtype}; .+"):
                getattr(inputs[0], f"{row.name}_")(*inputs[1:])
            return
        expected = row.call(*inputs, case=row.cases[0]).to(inputs[0].dtype)

        result = getattr(inputs[0], f"{row.name}_")(*inputs[1:])

        assert result is inputs[0]
        assert result._version == 1
        assert result.tolist() == expected.tolist()

    @of_rows(lambda row: row.has_in_place and has_gradient(row))
    def test_in_place_has_the_slope_of_the_op(self, row):
        _, arrays = gradient_cases(row)[0]

        def written(*inputs: gb.Tensor) -> gb.Tensor:
            return getattr(inputs[0] * 1, f"{row.name}_")(*inputs[1:])

        check_first_order(written, arrays)
        check_second_order(written, arrays)

    @of_rows(lambda row: row.has_in_place and has_gradient(row))
    def test_in_place_on_part_of_a_tensor_has_the_slope_of_the_op(self, row):
        _, arrays = gradient_cases(row)[0]

        def written(*inputs: gb.Tensor) -> gb.Tensor:
            whole = gb.stack([inputs[0], inputs[0] * 2])
            getattr(whole[0], f"{row.name}_")(*inputs[1:])
            return whole * whole

        check_first_order(written, arrays)
        check_second_order(written, arrays)

    @of_rows(lambda row: row.has_in_place and len(row.draws) > 1)
    def test_in_place_refuses_to_grow(self, row):
        inputs = row.inputs(row.dtypes[0])
        small = inputs[0][:1, :1].clone()
        before = small.tolist()

        with pytest.raises(gb.ShapeError, match=rf"^{row.name}: .*\[1, 1\].*\[3, 4\].*; .+"):
            getattr(small, f"{row.name}_")(*inputs[1:])

        assert small.tolist() == before
        assert small._version == 0


class TestEveryOut:
    @pytest.mark.parametrize("is_dense", [True, False], ids=["dense", "strided"])
    @of_rows(has_out)
    def test_is_written_and_returned(self, row, is_dense):
        inputs = row.inputs(row.dtypes[0])
        expected = row.call(*inputs, case=row.cases[0])
        out = gb.zeros_like(expected)
        if not is_dense:
            out = gb.zeros(*expected.shape[::-1], dtype=expected.dtype).T
        address = out.data_ptr()

        result = getattr(gb, row.name)(*inputs, out=out)

        assert result is out
        assert out.data_ptr() == address
        assert out.tolist() == expected.tolist()
        assert out._version == 1

    @of_rows(has_out)
    def test_may_be_of_a_wider_dtype(self, row):
        inputs = row.inputs(row.dtypes[0])
        expected = row.call(*inputs, case=row.cases[0])
        out = gb.empty(*expected.shape, dtype=gb.float64)

        getattr(gb, row.name)(*inputs, out=out)

        assert out.tolist() == expected.double().tolist()

    @of_rows(has_out)
    def test_may_be_an_input(self, row):
        inputs = row.inputs(row.dtypes[0])
        expected = row.call(*inputs, case=row.cases[0]).to(inputs[0].dtype)

        getattr(gb, row.name)(*inputs, out=inputs[-1])

        assert inputs[-1].tolist() == expected.tolist()

    @of_rows(has_out)
    def test_may_overlap_an_input_in_another_order(self, row):
        dtype = row.dtypes[0]
        memory = gb.tensor(row.draws[0].array(np.random.default_rng(5), (4, 4), dtype))
        inputs = [memory.T, *(memory.T.clone() for _ in row.draws[1:])]
        expected = row.call(*inputs, case=row.cases[0]).to(memory.dtype)

        getattr(gb, row.name)(*inputs, out=memory)

        assert memory.tolist() == expected.tolist()


def gradient_cases(row: Row) -> list[tuple[Case, list[np.ndarray]]]:
    """Return each small case with inputs in float64 where the op is smooth."""
    return [
        (case, row.arrays_from(row.slopes or row.draws, case, "float64", seed=13))
        if "float64" in row.dtypes
        else (case, row.arrays(case, row.dtypes[0], seed=13))
        for case in row.cases
        if max(np.prod(shape) for shape in case.shapes) <= 30
    ]


class TestVariance:
    @pytest.mark.parametrize(("count", "correction"), [(1, 1), (1, 2), (0, 0), (0, 1)])
    def test_of_fewer_elements_than_are_corrected_for_is_nan(self, count, correction):
        x = gb.ones(count, 2)

        assert x.var(0, correction=correction).isnan().all()
        assert x.std(0, correction=correction).isnan().all()

    def test_of_different_elements_without_a_divisor_is_infinite(self):
        assert gb.tensor([1.0, 2.0]).var(correction=2).item() == np.inf

    def test_std_has_no_slope_where_all_are_equal(self):
        x = gb.ones(3, requires_grad=True)

        x.std().backward()

        assert x.grad.tolist() == [0.0, 0.0, 0.0]

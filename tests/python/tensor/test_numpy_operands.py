"""NumPy beside tensors: its scalars are numbers, its arrays are refused, its functions read."""

from __future__ import annotations

import operator
from collections import deque
from typing import Any

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

ARITHMETIC = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
    *(operator.mod, operator.pow),
]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
BITS = [operator.and_, operator.or_, operator.xor]
REALS = [np.float64, np.float32, np.float16, np.longdouble]
WHOLE = [np.int64, np.int32, np.int8, np.uint8, np.uint64]
IN_PLACE = [
    *(operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv),
    *(operator.imod, operator.ipow),
]


def plain(value: Any) -> Any:
    """Return the Python number that a scalar or an array without dims of NumPy's holds."""
    found = value.item()
    return float(found) if isinstance(found, np.generic) else found


def same(a: Any, b: Any) -> bool:
    assert type(a) is type(b) is gb.Tensor
    return a.dtype == b.dtype and gb.equal(a, b)


class TestNumbers:
    @pytest.mark.parametrize("op", ARITHMETIC + COMPARISONS)
    def test_of_numpys_are_as_pythons_on_either_side(self, op):
        for dtype in (gb.float32, gb.float64, gb.int64, gb.uint8):
            x = gb.tensor([1, 2, 3], dtype=dtype)
            for kind in REALS + WHOLE:
                for number in (kind(2), np.array(2, dtype=kind)):
                    assert same(op(x, number), op(x, plain(number)))
                    assert same(op(number, x), op(plain(number), x))

    @pytest.mark.parametrize("op", BITS)
    def test_of_numpys_are_bits_too(self, op):
        ints, truths = gb.tensor([1, 2, 3]), gb.tensor([True, False])

        for number in (np.int64(3), np.array(3)):
            assert same(op(ints, number), op(ints, 3))
            assert same(op(number, ints), op(3, ints))
        for truth in (np.bool_(True), np.array(True)):
            assert same(op(truths, truth), op(truths, True))
            assert same(op(truth, truths), op(True, truths))

    def test_that_are_truths_promote_as_truths(self):
        x = gb.tensor([1, 2])

        assert (x + np.bool_(True)).dtype == (np.array(True) + x).dtype == gb.int64
        assert gb.full((2,), np.bool_(True)).dtype == gb.bool

    @pytest.mark.parametrize("op", IN_PLACE)
    def test_are_written_in_place(self, op):
        for number in (np.float64(2), np.float32(2), np.int8(2), np.array(2.0)):
            x = gb.tensor([1.0, 2.0, 3.0])

            y = op(x, number)

            assert y is x
            assert gb.equal(x, op(gb.tensor([1.0, 2.0, 3.0]), 2))

    def test_are_taken_by_functions(self):
        x = gb.tensor([-1.0, 0.5, 3.0])

        assert gb.add(x, np.array(1.0)).tolist() == [0, 1.5, 4]
        assert gb.add(np.float32(1), x, alpha=np.int64(2)).tolist() == [-1, 2, 7]
        assert x.clamp(np.float64(0), np.array(1)).tolist() == [0, 0.5, 1]
        assert gb.where(x > 0, x, np.float32(7)).tolist() == [7, 0.5, 3]
        assert x.clone().fill_(np.array(2)).tolist() == [2, 2, 2]

    def test_let_gradients_pass(self):
        x = gb.tensor([1.0, 2.0], requires_grad=True)

        (np.float64(2) * x - np.array(1.0) + x / np.float32(2)).sum().backward()

        assert x.grad.tolist() == [2.5, 2.5]

    @pytest.mark.parametrize("number", [np.complex64(2 - 1j), np.array(1j), np.clongdouble(3j)])
    def test_may_be_complex_on_either_side(self, number):
        x = gb.tensor([1.0, 2.0])

        assert (number * x).tolist() == (x * complex(number)).tolist()
        assert (x - number).tolist() == (x - complex(number)).tolist()
        assert (number == x).tolist() == [False, False]

    def test_beside_a_tensor_without_dims_are_numbers(self):
        assert same(np.float64(2) * gb.tensor(3.0), gb.tensor(6.0))
        assert same(gb.tensor(3) - np.int64(1), gb.tensor(2))

    @pytest.mark.parametrize(
        "number",
        [
            np.datetime64(5, "ns"),
            np.timedelta64(5, "s"),
            np.str_("a"),
            np.array("a"),
            np.array(5, "M8[ns]"),
            np.array(None),
        ],
        ids=repr,
    )
    @pytest.mark.filterwarnings("error")  # of a part that is lost
    def test_that_are_no_numbers_are_refused(self, number):
        x = gb.tensor([1.0, 2.0])

        for call in (lambda: x * number, lambda: number * x, lambda: gb.mul(x, number)):
            with pytest.raises(TypeError):
                call()

    @pytest.mark.parametrize("op", [operator.lshift, operator.rshift])
    def test_shift_and_are_shifted(self, op):
        x = gb.tensor([1, 2])

        assert op(np.int64(12), x).tolist() == [op(12, 1), op(12, 2)]
        assert op(x, np.int64(1)).tolist() == [op(1, 1), op(2, 1)]

    def test_beside_an_operator_that_tensors_lack_are_refused(self):
        with pytest.raises(TypeError, match="unsupported operand"):
            divmod(np.int64(1), gb.tensor([1, 2]))


class TestArrays:
    @pytest.mark.parametrize("op", ARITHMETIC + COMPARISONS + BITS + [operator.matmul])
    def test_are_refused_on_either_side(self, op):
        x = gb.tensor([1.0, 2.0, 3.0])

        for data in (np.ones(3), np.ones((2, 3)), np.ones(1), np.ones(0)):
            for first, second in ((x, data), (data, x)):
                with pytest.raises(TypeError, match=r"^\w+: .* numpy\.ndarray; .*gb\.from_numpy"):
                    op(first, second)

    @pytest.mark.parametrize("op", [*IN_PLACE, operator.imatmul])
    def test_are_refused_in_place_and_leave_the_tensor(self, op):
        x = y = gb.tensor([1.0, 2.0, 3.0])

        with pytest.raises(TypeError, match=r"gb\.from_numpy\(array\) is a Tensor"):
            y = op(y, np.ones(3))

        assert y is x
        assert x.tolist() == [1, 2, 3]

    def test_of_derived_types_are_refused_too(self):
        class Derived(np.ndarray):
            pass

        x, data = gb.ones(3), np.ones(3).view(Derived)

        for call in (lambda: x + data, lambda: data + x, lambda: gb.exp(data)):
            with pytest.raises(TypeError, match=r"gb\.from_numpy"):
                call()

    def test_take_part_as_what_from_numpy_makes_of_them(self):
        x = gb.from_numpy(np.ones(3)) + gb.ones(3)

        assert x.tolist() == [2, 2, 2]

    def test_are_written_with_tensors(self):
        data, x = np.ones(3), gb.tensor([1.0, 2.0, 3.0])

        data += x
        data[1:] = x[1:]

        assert type(data) is np.ndarray
        assert data.tolist() == [2, 2, 3]


class TestFunctions:
    def test_of_numpys_return_arrays(self):
        x = gb.tensor([[1.0, 2.0], [3.0, 4.0]])
        data = x.numpy()

        for found, expected in [
            (np.sum(x), data.sum()),
            (np.mean(x, axis=0, keepdims=True), data.mean(0, keepdims=True)),
            (np.concatenate([x, data]), np.concatenate([data, data])),
            (np.stack(deque([x, x])), np.stack([data, data])),
            (np.where(data > 2, x, 0), np.where(data > 2, data, 0)),
            (np.reshape(x, -1), data.reshape(-1)),
            (np.zeros_like(x), np.zeros_like(data)),
        ]:
            assert type(found) is type(expected)
            assert found.dtype == expected.dtype
            assert found.tolist() == expected.tolist()
        assert np.allclose(x, data)
        assert np.shape(x) == (2, 2)

    def test_of_numpys_that_are_universal_return_tensors(self):
        x = gb.tensor([[1.0, 2.0], [3.0, 4.0]])
        data = x.numpy()

        for found, expected in [
            (np.exp(x), np.exp(data)),
            (np.add(x, 1), data + 1),
            (np.maximum(x, data * 2), data * 2),
            (np.hypot(data, x), np.hypot(data, data)),
            (np.isnan(x), np.isnan(data)),
            (np.sqrt(x[0, 0]), np.sqrt(data[0, 0])),
            (np.add.reduce(x), data.sum(0)),
            *zip(np.modf(x), np.modf(data), strict=True),
        ]:
            assert type(found) is gb.Tensor
            assert found.numpy().dtype == expected.dtype
            assert found.tolist() == expected.tolist()
        assert type(np.sqrt(x, dtype=np.longdouble)) is np.ndarray  # of a dtype that no tensor has

        class Other:
            def __array_ufunc__(self, *_: object) -> int:
                return 5

        assert np.add(x, Other()) == 5
        written = np.empty((2, 2), np.float32)
        assert np.exp(x, out=written) is written

    @pytest.mark.parametrize(
        ("call", "name", "instead"),
        [
            (np.exp, "exp", r"gb\.exp\(\)"),
            (np.absolute, "absolute", r"gb\.abs\(\)"),
            (np.sum, "sum", r"gb\.sum\(\)"),
            (np.mean, "mean", r"gb\.mean\(\)"),
            (lambda x: np.add(x, 1), "add", r"gb\.add\(\)"),
            (lambda x: np.maximum(x, np.ones(2)), "maximum", r"gb\.maximum\(\)"),
            (lambda x: np.concatenate([x, x]), "concatenate", r"gb\.cat\(\)"),
            (lambda x: np.dot(np.ones(2), x), "dot", r"gb\.matmul\(\)"),
            (lambda x: np.clip(x, 0, 1), "clip", r"gb\.clamp\(\)"),
            (np.cbrt, "cbrt", "garboard's ops"),
            (np.ptp, "ptp", "garboard's ops"),
        ],
    )
    def test_of_numpys_name_what_gradients_pass(self, call, name, instead):
        x = gb.tensor([1.0, 2.0], requires_grad=True)

        with pytest.raises(
            gb.GradientError,
            match=rf"^{name}: .*; .*use {instead}, or detach\(\) if the value alone",
        ):
            call(x)

        assert call(x.detach()) is not None

    def test_of_numpys_read_lists_as_deep_as_arrays_have_dims(self):
        deep: list = [1.0]
        for _ in range(2000):
            deep = [deep]
        cycle: list = []
        cycle += [cycle, cycle]

        for nest in (deep, cycle):
            with pytest.raises(gb.ShapeError, match=r"^concatenate: lists nested more than 64 dee"):
                np.concatenate([gb.ones(1), nest])

    def test_of_numpys_tell_the_sizes_of_what_requires_grad(self):
        x = gb.ones(2, 3, requires_grad=True)

        assert np.shape(x) == (2, 3)
        assert np.ndim(x) == 2
        assert np.size(x) == 6

    def test_of_numpys_write_into_no_tensor(self):
        x, data = gb.ones(3), np.zeros(3)

        for call in (
            lambda: np.add(data, data, out=x),
            lambda: np.sum(np.zeros((2, 3)), axis=0, out=x),
            lambda: np.add.at(x, [0], 1),
            lambda: np.copyto(x, data),
            lambda: np.put(x, [0], [5]),
        ):
            with pytest.raises(TypeError, match=r"^\w+: .* write into a tensor; an array"):
                call()

        assert x.tolist() == [1, 1, 1]

    def test_of_numpys_read_no_disposed_tensor(self):
        x = gb.ones(3)
        x.dispose()

        for call in (lambda: np.exp(x), lambda: np.sum(x), lambda: np.float64(2) * x):
            with pytest.raises(gb.DisposedError):
                call()

"""`x[...]` with tensors, lists, arrays and masks: what NumPy and PyTorch say it names."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest

from tests.support.finite_differences import check_first_order, check_second_order

ROWS = np.array([2, 0, -1])
PAIRS = np.array([[0, 1], [2, 0]])
MASK = np.arange(12).reshape(3, 4) % 3 == 0
DEEP = np.arange(60).reshape(3, 4, 5) % 7 == 0

KEYS: list[Any] = [
    ROWS,
    [0, 2],
    (((0, 1), (1, 2)),),
    range(2),
    [],
    ([1, 2], [3, 0]),
    (ROWS, ROWS, ROWS),
    (PAIRS, [0, 1]),
    (slice(None), ROWS),
    (..., ROWS),
    (slice(None), ROWS, [0, 1, 1]),
    (ROWS, slice(None), ROWS),
    (ROWS, None, [1, 1, 1]),
    (None, ROWS),
    (slice(None, None, -1), ROWS, slice(None, None, -2)),
    (slice(1, None), ..., [4, 0]),
    (PAIRS, ...),
    MASK,
    DEEP,
    (0, DEEP[0]),
    (MASK, slice(1, 3)),
    (MASK, 2),
    (slice(None), DEEP[0]),
    ([True, False, True],),
    (slice(None), [True, False, True, True], [0, 1, 1]),
    (..., [False] * 5),
    (1, ROWS),
    True,
    False,
    (..., True),
]


def pair() -> tuple[gb.Tensor, np.ndarray]:
    array = np.arange(60.0).reshape(3, 4, 5)
    return gb.tensor(array), array


def as_tensors(key: Any) -> Any:
    """Return the key with tensors for its lists and arrays."""
    if isinstance(key, tuple):
        return tuple(as_tensors(part) for part in key)
    if isinstance(key, list | range):
        key = np.array(key, dtype=None if len(key) else np.int64)
    return gb.tensor(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("key", KEYS, ids=str)
class TestAKey:
    @pytest.mark.parametrize("convert", [as_tensors, lambda key: key], ids=["tensors", "arrays"])
    def test_reads_what_numpy_reads_as_a_copy(self, key, convert):
        x, array = pair()

        got = x[convert(key)]

        assert got.shape == array[key].shape
        assert got.tolist() == array[key].tolist()
        assert got.storage() != x.storage()

    def test_writes_what_numpy_writes(self, key):
        x, array = pair()
        values = np.arange(100.0, 100 + array[key].size).reshape(array[key].shape)

        x[key] = gb.tensor(values)
        array[key] = values
        assert x.tolist() == array.tolist()
        x[key] = -7
        array[key] = -7

        assert x.tolist() == array.tolist()
        assert x._version == 2

    def test_reads_a_view_of_any_strides(self, key):
        x, array = pair()
        wide = gb.zeros(3, 8, 10, dtype=gb.float64)[:, ::-2, ::2]
        wide.copy_(x)

        got = wide[key]
        wide[key] = got * 2
        array[key] *= 2

        assert wide.tolist() == array.tolist()

    def test_has_the_gradient_of_its_elements(self, key):
        x, array = pair()
        weights = np.arange(1.0, 1 + array[key].size).reshape(array[key].shape)
        x.requires_grad_()

        (x[key] * gb.tensor(weights)).sum().backward()

        slope = np.zeros_like(array)
        np.add.at(slope, key, weights)
        assert x.grad.tolist() == slope.tolist()


class TestPyTorchsRules:
    def test_an_integer_beside_a_tensor_selects_first(self):
        x, array = pair()

        # NumPy takes 0 as an index like the other, and its dim to the front.
        assert x[0, :, gb.tensor([1, 2])].tolist() == array[0][:, [1, 2]].tolist()
        assert x[gb.tensor(0), :, [1, 2]].shape == (4, 2)

    def test_a_tensor_of_bytes_is_a_mask(self):
        assert gb.arange(3)[gb.tensor([1, 0, 1], dtype=gb.uint8)].tolist() == [0, 2]

    def test_a_tensor_of_int32_is_an_index(self):
        assert gb.arange(3)[gb.tensor([2, 0], dtype=gb.int32)].tolist() == [2, 0]

    def test_a_value_may_have_leading_dims_of_one(self):
        x = gb.zeros(3, 2)

        x[[0, 2]] = gb.ones(1, 2)
        x[1] = gb.full((1, 1, 2), 5.0)

        assert x.tolist() == [[1, 1], [5, 5], [1, 1]]

    def test_a_value_is_converted(self):
        x = gb.zeros(3, dtype=gb.int64)

        x[[0, 1]] = gb.tensor([1.9, 2.9])
        x[gb.tensor([False, False, True])] = [7]

        assert x.tolist() == [1, 2, 7]

    def test_the_last_of_several_writes_stays(self):
        x, index = gb.zeros(5000), np.random.default_rng(1).integers(0, 50, 5000)
        expected = np.zeros(5000, np.float32)
        expected[index] = np.arange(5000)

        x[gb.tensor(index)] = gb.arange(5000.0)

        assert x.tolist() == expected.tolist()

    def test_values_may_come_from_the_tensor_itself(self):
        x = gb.arange(6)

        x[[1, 2, 3, 4, 5]] = x[:5]
        assert x.tolist() == [0, 0, 1, 2, 3, 4]
        x[x] = x * 10
        assert x.tolist() == [0, 10, 20, 30, 40, 4]


def written(key: Any) -> Any:
    def write(x: gb.Tensor, y: gb.Tensor) -> gb.Tensor:
        z = x * 1
        z[key] = y * y
        return z * z

    return write


class TestARange:
    def test_reads_what_its_numbers_read(self):
        x = gb.arange(5)

        assert x[range(3, 0, -1)].tolist() == [3, 2, 1]
        assert x[range(0)].tolist() == []

    @pytest.mark.parametrize(
        ("key", "error"), [(range(2**62), gb.ShapeError), (range(2**64), OverflowError)]
    )
    def test_that_no_list_holds_is_refused(self, key, error):
        with pytest.raises(error):
            gb.arange(5)[key]


class TestAnAssignment:
    @pytest.mark.parametrize(
        ("key", "sizes"),
        [
            (np.array([2, 0]), (2, 4)),
            (np.array([2, 0]), (4,)),
            ((slice(None), np.array([3, 1])), (3, 2)),
            ((1, np.array([0, 2])), (2,)),
            ((np.array([0, 2]), np.array([1, 3])), ()),
            (MASK, (4,)),
            (MASK, ()),
        ],
        ids=str,
    )
    def test_has_the_slopes_of_both_sides(self, key, sizes):
        rng = np.random.default_rng(3)
        arrays = [rng.uniform(1, 2, (3, 4)), rng.uniform(1, 2, sizes)]

        check_first_order(written(as_tensors(key)), arrays)
        check_second_order(written(as_tensors(key)), arrays)

    def test_into_a_leaf_is_refused(self):
        x = gb.zeros(3, requires_grad=True)

        with pytest.raises(gb.GradientError, match=r"^index_put_: a leaf .*; use no_grad"):
            x[[0]] = 1.0

    def test_of_a_spoiled_index_is_refused_in_backward(self):
        x, index = gb.ones(3, requires_grad=True), gb.tensor([0, 1])
        y = x[index]
        index[0] = 2

        with pytest.raises(gb.VersionError, match=r"^index: the index of sizes \[2\]"):
            y.sum().backward()

    def test_through_numpy_is_looked_at_again_in_backward(self):
        array = np.array([0, 1])
        x = gb.ones(3, requires_grad=True)
        y = x[gb.from_numpy(array)]
        array[0] = 7

        with pytest.raises(gb.IndexOutOfRangeError, match=r"index 7 along dim 0 of size 3; .+"):
            y.sum().backward()


class TestAMistake:
    @pytest.mark.parametrize(
        ("key", "error", "told"),
        [
            ([3], gb.IndexOutOfRangeError, "index 3 along dim 0 of size 3; .*-3, 2"),
            ([0, -4], gb.IndexOutOfRangeError, "index -4 along dim 0 of size 3; .*-3, 2"),
            ((slice(None), [4]), gb.IndexOutOfRangeError, "index 4 along dim 1 of size 4"),
            (([0], [9]), gb.IndexOutOfRangeError, "index 9 along dim 1 of size 4"),
            (([0],) * 4, gb.IndexOutOfRangeError, "4 indices .*; at most one a dim"),
            (([0, 1], [0, 1, 2]), gb.IndexOutOfRangeError, r"indices of sizes \[2\] and \[3\]"),
            (gb.float32, gb.IndexTypeError, "an index of type .*dtype"),
            (0.0, gb.IndexTypeError, "an index of type float; integers, slices, None"),
            ((0, 1.5), gb.IndexTypeError, "an index of type float; integers, slices, None"),
            ([0.5], gb.IndexTypeError, "an index of dtype float32; int64 or int32 is needed"),
            ([True, False], gb.IndexOutOfRangeError, r"mask of sizes \[2\] .*; they must be equal"),
            (MASK.T, gb.IndexOutOfRangeError, r"mask of sizes \[4, 3\]"),
            (["a"], TypeError, ".+"),
        ],
        ids=str,
    )
    def test_is_refused_and_changes_nothing(self, key, error, told):
        x, array = pair()
        before = gb.memory.live()

        with pytest.raises(error, match=f"^index.*: .*{told}"):
            x[key]
        with pytest.raises(error, match=f"^index.*: .*{told}"):
            x[key] = 1.0

        assert x.tolist() == array.tolist()
        assert x._version == 0
        assert gb.memory.live() == before

    @pytest.mark.parametrize("value", [np.zeros(2), np.zeros((2, 2, 4, 5)), [1, 2]], ids=str)
    def test_in_the_value_changes_nothing(self, value):
        x, array = pair()

        with pytest.raises(gb.ShapeError, match=r"^index_put_: .*; .+"):
            x[[0, 1]] = value
        with pytest.raises(gb.ShapeError, match=r"^index_put_: .*; .+"):
            x[gb.tensor(MASK)] = gb.zeros(3)
        with pytest.raises(gb.ShapeError, match=r"^index_put_: .*; as many are needed"):
            x[gb.tensor(DEEP)] = gb.zeros(3, dtype=gb.float64)

        assert x.tolist() == array.tolist()


class TestAListOfParts:
    def test_is_read_as_a_tuple_is(self):
        x = gb.arange(60).reshape(3, 4, 5)
        rows, columns = gb.tensor([0, 2]), gb.tensor([1, 3])

        for key in ([slice(0, 2), 1], [0, None], [..., 0], [rows, slice(1, 3), columns]):
            assert x[key].tolist() == x[tuple(key)].tolist()

    def test_is_written_as_a_tuple_is(self):
        x = gb.zeros(3, 4)

        x[[slice(None), 1]] = 1.0

        assert x.sum(0).tolist() == [0, 3, 0, 0]

    @pytest.mark.parametrize(
        "key",
        [
            [[0, 1], [1, 2]],
            [(0, 1), range(1, 3)],
            [[[0, 1]], [[1], [2]]],
            [np.array([0, 2]), np.array([1, 3])],
            [[0, 2]],
            [[True, False, True], 1],
        ],
        ids=str,
    )
    def test_is_read_as_a_tuple_where_it_holds_sequences_too_and_that_is_said(self, key):
        x = gb.arange(12).reshape(3, 4)
        y = x.clone()

        with pytest.warns(UserWarning, match=r"^index: a list that holds .*x\[tuple\(key\)\]"):
            found = x[key]
        with pytest.warns(UserWarning, match=r"^index: a list"):
            y[key] = -1

        assert found.tolist() == x[tuple(key)].tolist()
        assert bool((y[tuple(key)] == -1).all())

    def test_is_read_as_a_tuple_where_it_holds_tensors_without_dims(self):
        x = gb.arange(12).reshape(3, 4)

        with pytest.warns(UserWarning, match=r"^index: a list"):
            assert x[[gb.tensor(1), gb.tensor(2)]].tolist() == 6

    def test_is_none_where_it_holds_numbers_alone(self):
        x = gb.arange(12).reshape(3, 4)

        assert x[[0, 2]].shape == (2, 4)
        assert x[[np.int64(0), np.int64(2)]].shape == (2, 4)

    def test_is_none_where_it_is_long(self):
        with pytest.raises(TypeError):
            gb.zeros(3)[[slice(None), *[0] * 32]]


LEADING_ONES = {
    "a mask": lambda x: gb.tensor([[True, False], [True, True]]),
    "numbers": lambda x: gb.tensor([1, 0]),
    "numbers of an inner dim": lambda x: (0, gb.tensor([1, 0])),
    "no element": lambda x: gb.zeros(2, 2, dtype=gb.bool),
}


@pytest.mark.parametrize("name", LEADING_ONES)
def test_values_that_are_written_may_have_leading_dims_of_size_1(name):
    x, plain = gb.zeros(2, 2, 3), gb.zeros(2, 2, 3)
    key = LEADING_ONES[name](x)
    row = gb.tensor([1.0, 2.0, 3.0], requires_grad=True)

    x[key] = row.reshape(1, 1, 1, 3)
    plain[key] = row.detach()
    x.sum().backward()

    assert x.tolist() == plain.tolist()
    assert row.grad.tolist() == [(plain[..., 0] == 1).sum().item()] * 3
    with pytest.raises(gb.ShapeError, match=r"index_put_: .*\[5, 1, 3\]"):
        x.detach()[key] = gb.ones(5, 1, 3)
    with pytest.raises(gb.ShapeError, match=r"values of sizes \[1, 1, 1, 3\]"):
        x.detach().index_put_((gb.tensor([0]),), gb.ones(1, 1, 1, 3))

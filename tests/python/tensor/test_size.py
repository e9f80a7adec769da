"""Sizes: what `x.shape` is, a tuple that counts its elements."""

import copy
import json
import pickle
from operator import add

import garboard as gb
import numpy as np
import pytest


def test_shapes_are_sizes_and_tuples():
    x = gb.zeros(2, 3, 4)

    for sizes in (x.shape, x.size(), gb.broadcast_shapes((2, 1, 4), (3, 1))):
        assert type(sizes) is gb.Size
        assert isinstance(sizes, tuple)
        assert sizes == (2, 3, 4)
        assert hash(sizes) == hash((2, 3, 4))
        assert repr(sizes) == "(2, 3, 4)"


@pytest.mark.parametrize(
    ("sizes", "count"), [((), 1), ((2, 3, 4), 24), ((5, 0), 0), ((2**40, 2**40), 2**80)]
)
def test_sizes_count_their_elements(sizes, count):
    assert gb.Size(sizes).numel() == count


def test_slices_sums_and_multiples_are_sizes():
    sizes = gb.zeros(2, 3, 4).shape

    for made, expected in [
        (sizes[1:], (3, 4)),
        (sizes[::-1], (4, 3, 2)),
        (sizes[:0], ()),
        (add(sizes, (5,)), (2, 3, 4, 5)),
        (add(sizes, sizes[:1]), (2, 3, 4, 2)),
        (add((5,), sizes), (5, 2, 3, 4)),
        (add((), sizes), (2, 3, 4)),
        (sizes * 2, (2, 3, 4, 2, 3, 4)),
        (2 * sizes[:1], (2, 2)),
    ]:
        assert type(made) is gb.Size
        assert made == expected
    assert type(sizes[-1]) is int
    assert (1, *sizes) == (1, 2, 3, 4)


def test_a_sum_with_what_is_no_size_is_a_tuple():
    made = add(gb.Size([2]), ("a",))

    assert type(made) is tuple
    assert made == (2, "a")
    assert type(add(("a",), gb.Size([2]))) is tuple
    for left, right in (([1], gb.Size([2])), (gb.Size([2]), [1]), (1, gb.Size([2]))):
        with pytest.raises(TypeError):
            add(left, right)


@pytest.mark.parametrize(
    "make", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_copies_are_sizes(make):
    made = make(gb.zeros(2, 3).shape)

    assert type(made) is gb.Size
    assert made == (2, 3)


def test_a_file_keeps_them_sizes(tmp_path):
    gb.save({"shape": gb.zeros(2, 3).shape, "tuple": (2, 3)}, tmp_path / "it")

    loaded = gb.load(tmp_path / "it")

    assert type(loaded["shape"]) is gb.Size
    assert type(loaded["tuple"]) is tuple
    assert json.dumps(loaded["shape"]) == "[2, 3]"


def test_sizes_are_taken_wherever_tuples_are():
    sizes = gb.zeros(2, 3).shape

    assert gb.ones(sizes).shape == gb.ones(6).view(sizes).shape == sizes
    assert gb.ones(6).reshape(add(sizes[:1], (3,))).shape == sizes
    assert np.zeros(sizes).shape == sizes
    assert gb.ones(sizes)[sizes[0] - 1, sizes[1] - 1] == 1


def test_sizes_are_read_of_integers_of_others():
    sizes = gb.Size([np.int64(2), gb.tensor(3), gb.tensor([4])])

    assert sizes == (2, 3, 4)
    assert {type(it) for it in sizes} == {int}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a"], r"Size: sizes\[0\] is of type str; an int is needed"),
        ([1, 2.0], r"sizes\[1\]"),
        (3, "iterable"),
    ],
)
def test_sizes_of_what_is_no_int_are_refused(given, message):
    with pytest.raises(TypeError, match=message):
        gb.Size(given)
    with pytest.raises(TypeError, match=r"sizes\[0\] is of type garboard.Tensor; an int is needed"):
        gb.Size([gb.tensor(2.0)])
    with pytest.raises(TypeError):
        add(gb.Size([1]), [2])

"""Tensors of sequences that are no lists: deques, ranges, and classes of a program's own."""

from __future__ import annotations

from collections import UserList, UserString, deque

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Squares:
    def __len__(self) -> int:
        return 3

    def __getitem__(self, place: int) -> int:
        if place >= 3:
            raise IndexError(place)
        return place * place


class Boasting(Squares):
    def __len__(self) -> int:
        return 2**62


class Endless:
    def __len__(self) -> int:
        return 1

    def __getitem__(self, place: int) -> Endless:
        if place:
            raise IndexError(place)
        return self


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (deque([1.5, 2.0]), [1.5, 2.0]),
        (deque(), []),
        (deque([True, False]), [True, False]),
        ([deque([1, 2]), deque([3, 4])], [[1, 2], [3, 4]]),
        (deque([[1], (2,)]), [[1], [2]]),
        (deque([np.float32(1.5), 2]), [1.5, 2.0]),
        (deque([np.ones(2), np.zeros(2)]), [[1, 1], [0, 0]]),
        ((range(2), range(2, 4)), [[0, 1], [2, 3]]),
        (UserList([1, 2]), [1, 2]),
        (Squares(), [0, 1, 4]),
        (Boasting(), [0, 1, 4]),
        ([Squares(), Squares()], [[0, 1, 4], [0, 1, 4]]),
    ],
)
@pytest.mark.parametrize("make", [gb.tensor, gb.as_tensor], ids=["tensor", "as_tensor"])
def test_hold_what_the_sequence_holds(make, data, expected):
    made = make(data)

    assert made.tolist() == expected
    assert made.dtype == gb.tensor(expected).dtype or isinstance(data[0], np.ndarray)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ("ab", TypeError, "an element is of type str"),
        (["ab"], TypeError, "an element is of type str"),
        (deque(["ab"]), TypeError, "an element is of type str"),
        ({"a": 1}, TypeError, "an element is of type dict"),
        ([deque([1]), [1, 2]], gb.ShapeError, "a list of 2 at depth 1 where 1 stands before"),
        (Endless(), gb.ShapeError, "nested more than 8 deep"),
        (UserString("ab"), gb.ShapeError, "nested more than 8 deep"),
    ],
)
def test_that_hold_no_numbers_are_refused(data, error, message):
    with pytest.raises(error, match=f"^tensor: .*{message}"):
        gb.tensor(data)

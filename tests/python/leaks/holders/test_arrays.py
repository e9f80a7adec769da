"""What the garbage collector does not see into: NumPy's arrays of objects, and capsules."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest
from garboard import _engine
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.holders._hops import links
from garboard.leaks.holders._unasked import is_object_array, items_of, length_of

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def filled(array, *places):
    """Put a tensor into some places of an array of objects."""
    for place in places:
        array[place] = gb.ones(2)
    return array


@pytest.mark.parametrize(
    "seen",
    [
        lambda it: it,
        lambda it: it[:],
        lambda it: it.T[::-1],
        lambda it: it.reshape(2, 3),
        lambda it: np.asfortranarray(it),
    ],
)
def test_an_array_of_objects_leads_to_each_of_them(seen):
    shelf = seen(filled(np.empty((3, 2), dtype=object), (0, 1), (2, 0)))
    tensors = [it for it in items_of(shelf) if it is not None]

    ways = _engine._holder_paths([[shelf]], tensors, [])

    assert len(ways) == 2
    assert all(way[-1] is it for way, it in zip(ways, tensors, strict=True))
    assert all(is_object_array(way[-2]) for way in ways)


def test_an_array_of_numbers_leads_to_nothing():
    numbers = np.arange(6.0).reshape(2, 3)
    tensor = gb.ones(2)

    assert not is_object_array(numbers)
    assert length_of(numbers) is None
    assert _engine._holder_paths([[numbers]], [tensor], []) == [None]


def test_an_element_is_called_by_its_place():
    shelf = filled(np.empty(4, dtype=object), 2)

    chain = links([[shelf], shelf, shelf[2]])

    assert [str(link.edge) for link in chain] == ["root", "[0]", "[2]"]
    assert length_of(shelf) == 4


@pytest.mark.parametrize("make", [lambda x: x.__dlpack__(), lambda x: np.from_dlpack(x)])
def test_a_capsule_leads_to_what_keeps_its_memory(make):
    since = EVIDENCE.now()
    shelf = [make(gb.ones(2))]
    (row,) = [it for it in EVIDENCE.survivors(since.alias) if it.what == "export"]

    (way,) = _engine._holder_paths([[shelf]], [row.tensor], [])

    assert way[1] is shelf[0]
    assert type(way[-2]).__name__ == "PyCapsule"


def test_a_capsule_that_was_taken_leads_nowhere():
    since = EVIDENCE.now()
    capsule = gb.ones(2).__dlpack__()
    (row,) = [it for it in EVIDENCE.survivors(since.alias) if it.what == "export"]
    taken = np.from_dlpack(type("Taken", (), {
        "__dlpack__": lambda self, **_: capsule,
        "__dlpack_device__": lambda self: (1, 0),
    })())  # fmt: skip

    assert _engine._holder_paths([[capsule]], [row.tensor], []) == [None]
    assert taken.sum() == 2

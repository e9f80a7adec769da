"""The engine alone makes what is of its types: nothing half-made, nothing of another class."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import garboard as gb
import pytest
from garboard import _engine


def graph_node() -> Any:
    return (gb.ones(2, requires_grad=True) * 2).grad_fn


MADE = {
    "GraphNode": graph_node,
    "DisposeScopeStatistics": gb.dispose_scope_statistics,
    "Storage": lambda: gb.ones(2).untyped_storage(),
    "AdamState": _engine.AdamState,
    "SgdState": _engine.SgdState,
    "_Label": _engine._Label,
    "_FailingAllocation": lambda: _engine._FailingAllocation(1 << 40),
}
made = pytest.mark.parametrize("make", MADE.values(), ids=MADE)
ROOT = type(graph_node()).__base__


@made
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_no_protocol_of_pickle_takes_one(make, protocol):
    with pytest.raises(TypeError, match=r"pickle"):
        pickle.dumps(make(), protocol)


@made
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_none_is_copied(make, duplicate):
    with pytest.raises(TypeError, match=r"pickle"):
        duplicate(make())


@made
@pytest.mark.parametrize("new", [ROOT.__new__, object.__new__], ids=["the root's", "object's"])
def test_new_makes_no_empty_one(make, new):
    with pytest.raises(TypeError, match=r"__new__"):
        new(type(make()))


def test_the_root_makes_nothing():
    with pytest.raises(TypeError, match=r"^pybind11_object: __new__ alone"):
        ROOT()


@made
def test_nothing_inherits_from_the_types(make):
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Own", (type(make()),), {})
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Own", (ROOT,), {})


@made
@pytest.mark.parametrize("other", MADE.values(), ids=MADE)
def test_one_keeps_its_class(make, other):
    thing = make()

    if type(other()) is not type(thing):
        with pytest.raises(TypeError, match="__class__ assignment"):
            thing.__class__ = type(other())


@pytest.mark.parametrize("kind", [_engine.GraphNode, _engine.AdamState])
def test_a_type_keeps_its_methods(kind):
    with pytest.raises(TypeError, match="immutable type"):
        kind.name = len


def test_what_has_a_constructor_is_made_by_a_call():
    assert isinstance(_engine.AdamState(), _engine.AdamState)
    assert gb.UntypedStorage(8).nbytes() == 8

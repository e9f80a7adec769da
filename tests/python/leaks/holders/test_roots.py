"""Where chains begin: what the program itself names comes before what libraries note."""

from __future__ import annotations

import atexit
import threading
from types import FrameType

import garboard as gb
import pytest
from garboard import _engine
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.holders._roots import ExitCallbacks, paths_to
from garboard.leaks.holders._statements import tree_of

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced", "without_the_note")


def noted() -> dict:
    """Return what libraries note of this thread; asyncio does of its running loop."""
    threading.local().made = True
    return next(it for it in _engine._thread_roots() if type(it) is dict)


@pytest.fixture
def without_the_note():
    yield
    noted().pop("noted", None)


def test_a_variable_comes_before_what_libraries_note_of_a_thread():
    loop = [gb.ones(3)]
    noted()["noted"] = loop

    (path,) = paths_to(EVIDENCE, [loop[0]])

    assert type(path[0]) is FrameType
    assert path[1] is loop


def test_what_only_a_note_of_a_thread_leads_to_has_a_way_too():
    noted()["noted"] = [gb.ones(3)]

    (path,) = paths_to(EVIDENCE, [noted()["noted"][0]])

    assert path[0] is noted()


def arguments_of(function):
    """Yield the tensors that it is to be called with."""
    for called, arguments, named in _engine._exit_callbacks():
        if called is function:
            yield from (arguments[0][0], named["y"])


def test_a_callback_at_the_end_of_the_program_leads_to_its_arguments():
    def close(x, y=None):
        pass

    atexit.register(close, [gb.ones(3)], y=gb.zeros(2))
    try:
        ways = paths_to(EVIDENCE, list(arguments_of(close)))
    finally:
        atexit.unregister(close)

    assert [type(way[0]) for way in ways] == [ExitCallbacks] * 2
    assert all(row[0] is not close for row in _engine._exit_callbacks())


def test_a_search_passes_by_what_was_read_of_the_program():
    ways = paths_to(EVIDENCE, [tree_of(__file__)])

    assert ways == [None]


def test_of_ways_of_one_length_the_first_is_found_for_each_of_many():
    kept = [gb.ones(1) for _ in range(40)]
    ways_in = [{"text": "no way", i: tensor} for tensor in kept for i in range(3)]
    doors = dict(enumerate(ways_in))

    ways = _engine._holder_paths([[doors]], kept, [])

    for way, door, tensor in zip(ways, ways_in[::3], kept, strict=True):
        assert [*map(id, way)] == [id(doors), id(door), id(tensor)]


def test_what_is_skipped_or_hidden_is_met_by_no_way_but_by_others():
    kept = gb.ones(1)
    first, second = [kept], [kept]
    shelf = [first, [first], second]

    (skipped,) = _engine._holder_paths([[shelf]], [kept], [first])
    (hidden,) = _engine._holder_paths([[shelf]], [kept], [], [(shelf, first)])
    (target,) = _engine._holder_paths([[shelf]], [kept], [kept])

    assert skipped[1] is second
    assert hidden[1] is second  # which is nearer than `first` behind the list around it
    assert target is None

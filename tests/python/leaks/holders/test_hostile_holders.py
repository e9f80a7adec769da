"""A report names any holder without asking it, can be written anywhere, and keeps nothing."""

from __future__ import annotations

import gc
import io
import weakref
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import garboard as gb
import pytest
from garboard.leaks.holders._hops import written

from tests.support.hostile_objects import HALF, HOLDERS, Angry, unwritable_holders
from tests.support.live_memory import balanced  # noqa: F401

Make = Callable[[Any], Any]
UNWRITABLE = {f"{HALF!a} names {what}": make for what, make in unwritable_holders().items()}
EVERY = pytest.mark.parametrize(
    "make", [*HOLDERS.values(), *UNWRITABLE.values()], ids=[*HOLDERS, *UNWRITABLE]
)

shelf: list[Any] = []


@pytest.fixture(autouse=True)
def emptied(balanced) -> Iterator[None]:  # noqa: F811
    """The shelf ends empty, and what stood on it is gone."""
    yield
    shelf.clear()


def assert_writable(report: gb.leaks.LeakReport) -> None:
    for text in (str(report), report.to_json(), report.headline, repr(report.leaks)):
        text.encode("utf-8")
    ElementTree.fromstring(report.to_junit(HALF))
    file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    report.show(file)
    file.flush()


@EVERY
def test_who_holds_names_it_and_keeps_nothing(make: Make):
    tensor = gb.ones(3)
    alive = weakref.ref(tensor)
    shelf.append(make(tensor))

    held = gb.leaks.who_holds(tensor)

    assert held.chains
    str(held).encode("utf-8")
    shelf.clear()
    del tensor
    gc.collect()
    assert alive() is None


@EVERY
def test_a_watcher_reports_it(make: Make):
    with gb.leaks.watch(on_leak=lambda leak: None) as watch:
        for _ in range(200):
            shelf.append(make((gb.ones(3) * 2).sum()))
            watch.step()

    report = watch.report()

    assert report.leaks
    assert_writable(report)


@EVERY
def test_no_leaks_reports_it(make: Make):
    with pytest.raises(gb.leaks.LeakError) as caught, gb.leaks.no_leaks():
        shelf.append(make(gb.ones(3)))

    assert_writable(caught.value.report)
    str(caught.value).encode("utf-8")


def test_an_angry_tensor_is_described_by_what_it_is():
    class Sly(gb.Tensor):
        shape = dtype = is_disposed = nbytes = property(lambda self: 1 / 0)  # type: ignore

        def __len__(self) -> int:
            raise ZeroDivisionError

        __repr__ = __bool__ = __len__  # type: ignore[assignment]

    shelf.append(Sly([1.0, 2.0]))

    assert "Sly float32[2]" in str(gb.leaks.who_holds(shelf[0]))
    with pytest.raises(gb.leaks.LeakError, match=r"Sly float32\[2\]"), gb.leaks.no_leaks():
        shelf.append(Sly([1.0, 2.0]))


class TestWhatAWatcherIsTold:
    def test_objects_are_not_asked(self):
        thing = Angry()
        with gb.leaks.watch(on_leak=lambda leak: None) as watch:
            watch.exclude(thing, reason=HALF)
            watch.expect_freed(thing, reason=HALF)
            shelf.append(thing)

        [leak] = watch.report().leaks
        assert "Angry object was expected to be freed (\\ud800)" in leak.evidence
        assert_writable(watch.report())
        shelf.clear()
        alive = weakref.ref(thing)
        del thing
        assert alive() is None

    def test_reasons_are_written_as_every_file_takes_them(self):
        with gb.leaks.watch() as watch:
            watch.expect("shelf", max_items=500, reason=f"{HALF}\x1b[31m")
            for _ in range(200):
                shelf.append(gb.ones(3).sum())
                watch.step()

        [note] = watch.report().notes
        assert note == "`shelf` has 200 of 500 expected items: \\ud800\\x1b[31m"
        assert_writable(watch.report())

    @pytest.mark.parametrize(
        ("tell", "message"),
        [
            (lambda it: it.exclude(gb.ones, reason=3), "exclude: reason is of type int"),
            (lambda it: it.expect(3), "expect: name_or_site is of type int"),
            (lambda it: it.expect("x", max_items="9"), "expect: max_items is of type str"),
            (lambda it: it.expect("x", reason=None), "expect: reason is of type NoneType"),
            (lambda it: it.expect_freed(gb.ones, reason=b""), "expect_freed: reason is of type by"),
        ],
    )
    def test_other_types_are_refused(self, tell, message):
        with gb.leaks.watch() as watch, pytest.raises(TypeError, match=message):
            tell(watch)


def test_a_key_is_written_in_forty_characters_whatever_it_is():
    ends: Any = ()
    for _ in range(60):
        ends = (ends, ends)  # 2^60 of them

    assert written(("a", 1, None)) == "('a', 1, None)"
    assert written(10**5000) == "beyond 64 bits"
    assert written((HALF, Angry())) == r"('\ud800', Angry)"
    assert len(written(ends)) == len(written(tuple(range(1000)))) == 40

"""The law of the house: every test ends with what lived when it began, and both books agree.

Nor does a test leave another limit to those that come after it, in whatever order.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator

import garboard as gb
import pytest

from tests.support.notebook import notebook as notebook

_has_passed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[_has_passed] = report.passed
    return report


def pytest_collection_finish() -> None:
    """Refuse tensors that a module of tests holds: every test would count them."""
    if (live := gb.memory.live()).aliases:
        raise pytest.UsageError(f"{live} after collection: {gb.leaks.live(group='site')}")
    _set_aside()


def _set_aside() -> None:
    """Take what lives out of every later collection: half a million of pytest's own objects."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def reports_are_set_aside() -> Iterator[None]:
    """Set aside what pytest and caches kept of a module's tests: its reports alone are many."""
    yield
    _set_aside()


@pytest.fixture(autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves an alias, a storage, a graph node or a byte behind."""
    before, limit = gb.memory.live(), gb.memory.memory_limit()
    yield
    if gb.memory.live() != before:
        gc.collect()  # what only a reference cycle holds is no leak
    if request.node.stash.get(_has_passed, False):  # else the traceback holds what it saw
        left = gb.memory.live() - before  # below 0 where an earlier test had failed
        assert max(left.aliases, left.storages, left.nodes, left.bytes) <= 0, left
    assert gb.memory.memory_allocated() == gb.memory.live("cpu").bytes
    assert gb.memory.memory_limit() == limit

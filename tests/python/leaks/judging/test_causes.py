"""One statement that stores into several holders is one finding, which names them."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard._shown.site import Site
from garboard.leaks.judging._causes import one_for_each_statement

from tests.python.leaks.reports.test_formats import leak


def held(name: str, line: int = 7) -> gb.leaks.Leak:
    place = Site("train.py", line, "")
    return leak(holder=f"list {name} ({place.place})", holder_site=place, bytes=8, count=2)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["`a`"], "list `a` (train.py:7)"),
        (["`a`", "`b`"], "list `a` and `b` (train.py:7)"),
        (["`a`", "`b`", "`c`"], "list `a`, `b` and `c` (train.py:7)"),
        (["`Meter.xs`", "`Meter.xs`"], "list `Meter.xs` and 1 more (train.py:7)"),
        ([f"`x{i}`" for i in range(6)], "list `x0` and 5 more (train.py:7)"),
    ],
)
def test_the_holders_of_one_statement_are_named_together(names, text):
    (found,) = one_for_each_statement(held(it) for it in names)

    assert found.holder == text
    assert (found.bytes, found.count) == (8 * len(names), 2 * len(names))


def test_other_statements_are_findings_of_their_own():
    assert len(one_for_each_statement([held("`a`"), held("`b`", line=8)])) == 2

"""The engine's evidence keeps the protocol that every judge relies on."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard._shown.site import line_of, site_of
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.evidence._survivors import cohorts, survivors

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def test_births_count_what_survivors_are():
    since, steps = EVIDENCE.now(), Steps(EVIDENCE)
    kept = []
    for _ in range(3):
        kept.append(gb.zeros(2))
        gb.zeros(2)
        steps.advance()

    found = cohorts(EVIDENCE, since, steps, 1, 3)

    rows = list(survivors(EVIDENCE, since.alias, steps))
    assert [it.step for it in rows] == [1, 2, 3]
    assert {(key.what, key.site): births for key, births in found.items()} == {
        ("tensor", rows[0].site): {1: 1, 2: 1, 3: 1}
    }


def test_a_birth_has_the_serial_and_line_of_its_row():
    since = EVIDENCE.now()
    x = gb.zeros(2)

    (row,) = EVIDENCE.survivors(since.alias)

    assert EVIDENCE.birth(x)[0] == row.serial == EVIDENCE.serials(since.alias)[0]
    assert line_of(EVIDENCE.birth(x)[1]) == row.site
    assert site_of(row.site).called == "test_a_birth_has_the_serial_and_line_of_its_row()"


def test_a_graph_is_told_from_the_newest_node_to_the_oldest():
    since = EVIDENCE.now()
    w = gb.ones(2).requires_grad_()
    y = w.exp().sum()

    found = list(EVIDENCE.nodes(since.node))

    assert [it.name for it in found] == ["exp", "sum"]
    assert found[1].next == [found[0].serial]
    assert y.grad_fn.serial == found[1].serial


def test_an_array_over_a_storage_is_an_export():
    since = EVIDENCE.now()
    x = gb.ones(2)
    array = x.numpy()

    found = list(EVIDENCE.storages(since.storage))

    assert [(it.nbytes, it.is_exported) for it in found] == [(8, True)]
    del array

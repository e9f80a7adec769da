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

    table = EVIDENCE.graphs(since)

    (chain,) = table.chains(1, 0)
    assert (chain["node"], chain["name"], chain["count"]) == (y.grad_fn.serial, "sum", 2)
    assert table.behind([y.grad_fn.serial])[-1] == {"exp", "sum"}


def test_an_array_over_a_storage_is_an_export():
    since = EVIDENCE.now()
    x = gb.ones(2)
    array = x.numpy()

    found = list(EVIDENCE.storages(since.storage))

    assert [(it.nbytes, it.is_exported) for it in found] == [(8, True)]
    del array


MOVES = {
    "detach": lambda inner, outer, x: inner.detach(x),
    "move to outer": lambda inner, outer, x: inner.move_to_outer(x),
    "move to other": lambda inner, outer, x: inner.move_to_other(outer, x),
    "attach": lambda inner, outer, x: outer.attach(x),
    "spare": lambda inner, outer, x: inner.dispose_everything_but(x),
    "detach a nest": lambda inner, outer, x: inner.detach([x]),
    "a method": lambda inner, outer, x: x.detach_from_dispose_scope(),
    "another method": lambda inner, outer, x: x.move_to_outer_dispose_scope(),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_tensor_knows_the_line_that_moved_it_between_scopes(name):
    since = EVIDENCE.now()
    with gb.dispose_scope() as outer, gb.dispose_scope() as inner:
        x = gb.ones(2)
        (before,) = EVIDENCE.survivors(since.alias)
        MOVES[name](inner, outer, x)

        (after,) = EVIDENCE.survivors(since.alias)

    assert before.moved_at == 0
    assert site_of(after.moved_at).line == MOVES[name].__code__.co_firstlineno
    x.dispose()


def test_what_is_born_where_a_moved_tensor_was_has_not_moved():
    since = EVIDENCE.now()
    with gb.dispose_scope() as scope:
        for _ in range(3):
            scope.detach(gb.ones(2))
        x = gb.ones(2)

        (row,) = EVIDENCE.survivors(since.alias)

    assert row.moved_at == 0
    assert x.is_disposed


def test_a_graph_names_the_storages_of_its_leaves_and_their_gradients():
    since = EVIDENCE.now()
    y = (gb.ones(2).requires_grad_() * 2).sum()
    y.backward(retain_graph=True)

    table = EVIDENCE.graphs(since)

    assert len(table.unheld()) == 2
    assert table.behind([y.grad_fn.serial])[2] == 16  # bytes of the leaf and of its gradient
    assert table.unexplained([], []) == ([], [])


def test_of_very_many_tensors_the_newest_and_some_others_stand_for_all():
    since = EVIDENCE.now()
    kept = [gb.zeros(1) for _ in range(1000)]
    few = [gb.zeros(1) for _ in range(10)]

    found = list(EVIDENCE.survivors(since.alias, most=200))

    many = [it for it in found if it.site == found[0].site]
    assert sum(it.weight for it in many) == len(kept)
    assert [it.weight for it in many[-50:]] == [1] * 50
    assert len(many) <= 150
    assert len(found) - len(many) == len(few)
    assert EVIDENCE.count(since.alias) == 1010

"""What is remembered from look to look."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from garboard.leaks.judging._tracker import Tracker


def chain(first: int, last: int, is_walked: bool, *, is_retained: bool = False) -> SimpleNamespace:
    steps = {step: 1 for step in range(first, last + 1)}
    return SimpleNamespace(site=1, steps=steps, was_walked=is_walked, is_retained=is_retained)


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([chain(4, 40, False), chain(4, 48, True)], False),  # a pass ended it, as it may
        ([chain(4, 48, True), chain(4, 48, True)], False),  # and it stays behind its head
        ([chain(4, 48, True), chain(4, 56, True)], True),
        ([chain(4, 40, True), chain(41, 80, True)], False),  # another one
        ([chain(4, 40, True, is_retained=True), chain(4, 48, True)], False),  # the pass ended it
    ],
)
def test_a_graph_grows_on_after_a_pass_where_it_has_newer_nodes_than_then(looks, expected):
    tracker = Tracker()
    for now, seen in enumerate(looks, start=6):
        tracker.feed_graphs(8 * now, [seen])

    assert tracker.was_walked(looks[-1]) == expected


def test_a_graph_that_has_ended_does_not_grow_while_its_last_steps_come_of_age():
    tracker = Tracker()
    ended = chain(33, 64, True)
    for now in (64, 72, 80):
        tracker.feed_graphs(now, [ended])

    assert tracker.graph_streak(ended) == 0


def test_what_was_made_longer_than_it_was_at_first_is_known():
    tracker = Tracker()

    assert [tracker.is_made_longer("cells", it) for it in (8, 8, 16, 16)] == [0, 0, 1, 1]
    assert not tracker.is_made_longer("other cells", 16)

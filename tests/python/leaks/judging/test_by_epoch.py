"""Epochs: what goes on from epoch to epoch, and what fills in the first ones."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from garboard.leaks.judging._by_epoch import is_a_number_an_epoch, is_steady_by_epoch

ENDS = [20, 40, 60, 80]


def counts(*by_epoch):
    return {20 * i + 10: count for i, count in enumerate(by_epoch) if count}


@pytest.mark.parametrize("by_epoch", [(5, 5, 5, 5), (0, 3, 3, 3), (4, 5, 4, 3), (1, 9, 9, 9, 0)])
def test_as_many_in_the_last_epochs_are_steady(by_epoch):
    assert is_steady_by_epoch(counts(*by_epoch), ENDS)


@pytest.mark.parametrize("by_epoch", [(30, 8, 5, 2), (5, 0, 0, 0), (0, 0, 0, 0, 7), ()])
def test_fewer_are_a_cache_that_fills(by_epoch):
    assert not is_steady_by_epoch(counts(*by_epoch), ENDS)


def row(*shape, node=0, weight=1):
    return SimpleNamespace(shape=shape, node=node, requires_grad=False, weight=weight)


def test_a_number_noted_of_each_epoch_is_told_apart():
    assert is_a_number_an_epoch([row(), row(1), row(1, 1)], ENDS)
    assert not is_a_number_an_epoch([row(2)], ENDS)
    assert not is_a_number_an_epoch([row(node=7)], ENDS)
    assert not is_a_number_an_epoch([row(weight=80)], ENDS)
    assert not is_a_number_an_epoch([row()], [1, 2, 3, 4])  # each epoch is a step

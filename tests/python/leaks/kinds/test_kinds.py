"""The kinds: found in their folder, told apart, and each explained."""

from __future__ import annotations

from string import Formatter

import pytest
from garboard.leaks import kinds
from garboard.leaks.findings._kind import Kind

KINDS = kinds.all_kinds()
EACH = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])


def test_the_folder_is_the_list():
    assert len({kind.name for kind in KINDS}) == len(KINDS) > 20
    assert [kind.rank for kind in KINDS] == sorted(kind.rank for kind in KINDS)


@EACH
def test_a_kind_says_what_leaks_and_what_to_write(kind: Kind):
    fields = {name for _, name, _, _ in Formatter().parse(kind.fix) if name}

    assert kind.title.endswith((".", ":"))
    assert kind.fix or kind.fix_group or kind.fix_graph
    assert fields <= {"name", "owner"}
    assert kinds.kind_called(kind.name) is kind


def test_kinds_that_may_both_fit_have_ranks_of_their_own():
    for group in ("is_of_tensors", "is_of_graphs"):
        ranks = [kind.rank for kind in KINDS if getattr(kind, group)]
        assert len(set(ranks)) == len(ranks)

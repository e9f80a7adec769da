"""itertools.tee: the iterator that is behind is named, whichever leads to the newest item."""

from __future__ import annotations

import gc
import itertools
import sys

import garboard as gb
import pytest
from garboard.leaks.holders._tees import TEE, by_the_one_behind, kept_by

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


# A block has 57 items. Which of two in one block is behind, Python 3.14 and later do not say.
@pytest.mark.parametrize("read", [60, 300, *([3] if sys.version_info < (3, 14) else [])])
def test_the_one_behind_holds_what_the_other_has_read(read):
    ahead, behind = itertools.tee(gb.zeros(2) for _ in range(read))
    for _ in range(read):
        last = next(ahead)
    (block,) = (it for it in gc.get_referents(ahead) if it is not type(ahead))
    root = "a root"

    (found,) = by_the_one_behind([[root, ahead, block, last]], lambda asked: [[root, asked[0]]])

    assert [id(it) for it in found] == [id(root), id(behind), id(last)]


def test_other_paths_are_left_as_they_are():
    box = [gb.zeros(2)]
    paths = [[box, box[0]], None]

    assert by_the_one_behind(paths, lambda asked: []) == paths


def test_the_type_is_found_without_its_name():
    assert isinstance(itertools.tee(())[0], TEE)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python does not say how far one is")
@pytest.mark.parametrize(("ahead", "behind"), [(0, 0), (5, 5), (40, 3), (90, 20), (200, 130)])
def test_what_lies_between_two_is_what_the_one_behind_keeps(ahead, behind):
    first, second = itertools.tee(range(1000))
    for _ in range(ahead):
        next(first)
    for _ in range(behind):
        next(second)

    assert (kept_by(first), kept_by(second)) == (0, ahead - behind)

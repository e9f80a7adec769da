"""What lives now, grouped."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def group(by: str, key: str) -> tuple[int, int]:
    found = next((it for it in gb.leaks.live(by) if key in it.key), None)
    return (found.count, found.bytes) if found else (0, 0)


def test_by_site_names_the_line_of_birth():
    kept = [gb.zeros(7, 100)]

    assert group("site", "test_by_site_names_the_line_of_birth()") == (1, 2800)
    kept.clear()


def test_by_shape_counts_a_storage_once():
    x = gb.zeros(7, 100)
    row = x[0]

    assert group("shape", "float32[7, 100]") == (1, 2800)
    assert group("shape", "float32[100]") == (1, 0)
    del row


def test_by_scope_names_the_scope_that_ends_them():
    with gb.dispose_scope("epoch"):
        kept = gb.zeros(7, 100)
        assert group("scope", "epoch") == (1, 2800)

    assert group("scope", "epoch") == (0, 0)
    assert kept.is_disposed


def test_by_owner_tells_graphs_gradients_and_exports():
    w = gb.zeros(1000).requires_grad_()
    y = (w * w).sum()
    held = group("owner", "GRAPH")
    z = y.exp()
    y.dispose()
    array = gb.zeros(500).numpy()

    assert held == (0, 0)  # w itself lives
    assert group("owner", "GRAPH")[0] == 0
    assert group("owner", "EXPORT") == (1, 2000)
    assert group("owner", "PYTHON")[1] >= 4000
    del array, z


def test_the_most_bytes_stand_first():
    kept = [gb.zeros(10), gb.zeros(1000)]

    sizes = [it.bytes for it in gb.leaks.live("shape")]

    assert sizes == sorted(sizes, reverse=True)
    kept.clear()


def test_another_grouping_is_refused():
    with pytest.raises(ValueError, match="group 'age'; 'site', 'scope', 'shape' or 'owner'"):
        gb.leaks.live("age")

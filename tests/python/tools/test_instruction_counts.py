"""An op's way takes as many instructions as were kept, within a tenth, whatever the load."""

import pytest

from tests.bench.python import callgrind

RENEW = "python tests/bench/python/callgrind.py keeps new counts, where these are meant"


@pytest.mark.slow
def test_statements_take_as_many_instructions_as_were_kept():
    if not callgrind.is_there():
        pytest.skip(callgrind.DEBIAN)
    before = callgrind.kept()
    if not before:
        pytest.skip(f"no counts are kept for {callgrind.made_with()}")

    faults = callgrind.faults(callgrind.count(), before)

    assert not faults, "\n".join([*faults, RENEW])


@pytest.mark.parametrize(
    ("now", "before", "fault"),
    [
        ({"x": 112}, {"x": 100}, "x: 112 instructions, 100 kept"),
        ({"x": 88}, {"x": 100}, "x: 88 instructions"),
        ({"x": 100, "y": 1}, {"x": 100}, "y: counted and kept"),
        ({}, {"x": 100}, "x: counted and kept"),
    ],
)
def test_a_count_beyond_the_margin_is_named(now, before, fault):
    [found] = callgrind.faults(now, before)

    assert fault in found


def test_a_count_within_the_margin_is_none():
    assert callgrind.faults({"x": 109, "y": 91}, {"x": 100, "y": 100}) == []


def test_counts_of_other_versions_stay_when_new_ones_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(callgrind, "KEPT", tmp_path / "kept.toml")
    monkeypatch.setattr(callgrind, "made_with", lambda: "one")
    callgrind.keep({"x + x": 1})
    monkeypatch.setattr(callgrind, "made_with", lambda: "another")

    callgrind.keep({"x + x": 2})

    assert callgrind.kept() == {"x + x": 2}
    monkeypatch.setattr(callgrind, "made_with", lambda: "one")
    assert callgrind.kept() == {"x + x": 1}

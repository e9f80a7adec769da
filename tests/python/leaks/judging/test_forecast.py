"""The forecast: how many steps are left at this rate, under this limit."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.judging._forecast import with_forecasts

from tests.python.leaks.reports.test_formats import leak
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

MIB = 1 << 20


@pytest.fixture
def limit():
    """Leave room for exactly 100 MiB."""
    before = gb.memory.memory_limit("cpu")
    room = gb.memory.live("cpu").bytes + 100 * MIB
    gb.memory.set_memory_limit(room, "cpu")
    yield room
    gb.memory.set_memory_limit(before, "cpu")


def growing(mib: float, **more: object) -> gb.leaks.Leak:
    return leak(rate=gb.leaks.Rate(1.0, mib * MIB), **{"device": "cpu", **more})


@pytest.mark.usefixtures("limit")
class TestAFinding:
    def test_knows_the_steps_that_are_left(self):
        (found,) = with_forecasts([growing(2)], EVIDENCE)

        assert found.steps_left == 50
        assert found.forecast == "out of memory on cpu in about 50 steps at this limit"

    def test_shares_the_room_with_others_on_its_device(self):
        leaks = [growing(2), growing(3, verdict="GROWING"), growing(9, device="x")]
        found = with_forecasts(leaks, EVIDENCE)

        assert [it.steps_left for it in found[:2]] == [20, 20]

    @pytest.mark.parametrize(
        "other",
        [
            {"verdict": "RETAINED"},
            {"device": ""},
            {"rate": gb.leaks.Rate(1.0, 0.0)},
        ],
    )
    def test_that_does_not_grow_or_has_no_device_has_none(self, other):
        one = growing(2, **other) if "rate" not in other else leak(**other)
        (found,) = with_forecasts([one], EVIDENCE)

        assert found.steps_left is None
        assert found.forecast == ""

    def test_says_nothing_of_what_is_far_off(self):
        (found,) = with_forecasts([growing(1 / MIB)], EVIDENCE)

        assert found.steps_left == 100 * MIB
        assert found.forecast == ""

    @pytest.mark.parametrize(
        ("steps", "said"), [(7, "7"), (344, "340"), (7349, "7 300"), (123_456, "120 000")]
    )
    def test_is_told_with_two_digits(self, steps, said):
        assert f"in about {said} steps" in growing(1, steps_left=steps).forecast

    def test_whose_device_is_full_says_so(self):
        assert growing(1, steps_left=0).forecast == "cpu is at its limit now"


@pytest.mark.usefixtures("limit")
def test_a_report_tells_verdict_rate_forecast_and_fix_in_four_lines():
    kept = []
    with gb.leaks.watch(on_leak=lambda leak: None) as watch:
        for _ in range(120):
            kept.append(gb.ones(1 << 14))
            watch.step()

    lines = str(watch.report()).splitlines()[1:5]

    assert lines[0].startswith("LEAK  tensor-list  [LIST-")
    assert "+1 tensor, +64.0 KiB per step" in lines[0]
    assert lines[1] == "  when  out of memory on cpu in about 1 500 steps at this limit"
    assert lines[2].startswith("  fix   ")

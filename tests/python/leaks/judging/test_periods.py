"""What has been let go of time and again at an age is no growth until it is older."""

from __future__ import annotations

import pytest
from garboard.leaks.evidence._rows import Key
from garboard.leaks.judging._growth import GRACE, PERIOD, WARMUP
from garboard.leaks.judging._periods import Periods

KEY = Key("tensor", 1)


def after(steps, onset_at):
    """Return what is known after so many steps of a line whose oldest survivor is of a step."""
    periods = Periods()
    for now in range(PERIOD, steps + 1, PERIOD):
        onset = max(onset_at(now), WARMUP + 1)
        cohorts = dict.fromkeys(range(onset, now - GRACE + 1), 1)
        periods.feed(now, {KEY: cohorts} if cohorts else {})
    return periods


def test_a_buffer_flushed_every_64_steps_is_usual_the_third_time():
    periods = after(190, lambda now: now - now % 64 + 1)

    assert periods.is_usual(KEY, 62, 190)
    assert not periods.is_usual(KEY, 120, 190)


def test_one_end_proves_no_period():
    assert not after(100, lambda now: now - now % 64 + 1).is_usual(KEY, 36, 100)


def test_a_window_that_slides_is_usual():
    assert after(200, lambda now: now - 60).is_usual(KEY, 60, 200)


def test_a_backlog_that_is_older_each_time_is_not_usual():
    assert not after(400, lambda now: now // 2).is_usual(KEY, 200, 400)


@pytest.mark.parametrize("behind", [5, 3])
def test_a_backlog_that_grows_slowly_is_not_usual_either(behind):
    assert not after(600, lambda now: now - now // behind).is_usual(KEY, 600 // behind, 600)


def test_what_never_ends_is_not_usual_however_long_it_takes():
    assert not after(2000, lambda now: 1).is_usual(KEY, 100, 2000)


def test_short_lives_at_the_line_of_a_leak_prove_nothing():
    assert not after(400, lambda now: now - 6).is_usual(KEY, 56, 400)


def test_a_line_that_was_never_seen_is_not_usual():
    assert not Periods().is_usual(KEY, 0, 8)

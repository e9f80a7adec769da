"""One tensor that grows: bytes of a line rise while no more tensors live."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard._engine import _birth
from garboard.leaks.judging._growth import PERIOD
from garboard.leaks.judging._swelling import LEAST_SWOLLEN, Swelling

SITE = _birth(gb.zeros(1))[1]
STEP = LEAST_SWOLLEN // 40  # bytes a step; a megabyte after forty of them


def followed(steps, nbytes, count=lambda now: 1, tensors=10):
    """Follow a line that has so many bytes and tensors after each step."""
    swelling = Swelling()
    for now in range(PERIOD, steps + 1, PERIOD):
        size = nbytes(now)
        rows = [(SITE, count(now), size)]
        swelling.feed(now, size, tensors, lambda rows=rows: rows)
    return list(swelling.swollen(steps))


def test_a_tensor_that_grows_at_every_step_is_found():
    (found,) = followed(64, lambda now: now * STEP)

    assert found.since == PERIOD
    assert found.last - found.first == 56 * STEP


@pytest.mark.parametrize(
    "nbytes",
    [
        lambda now: 40 * STEP,
        lambda now: min(now, 24) * STEP,  # as large as it will be
        lambda now: now % 24 * STEP,
        lambda now: now // 8,  # not worth a word
        lambda now: int((now**0.3) * 40 * STEP),  # slower and slower
        lambda now: (now % 80) * STEP + 1,  # of a length that has ended before
    ],
    ids=["constant", "full", "flushed", "small", "decelerating", "periodic"],
)
def test_what_is_full_or_let_go_of_is_left_alone(nbytes):
    assert followed(232, nbytes) == []


@pytest.mark.parametrize(("step", "is_small"), [(100, True), (STEP, False)])
def test_what_grows_by_less_than_a_megabyte_is_small(step, is_small):
    (found,) = followed(232, lambda now: now * step)

    assert found.is_small == is_small


def test_more_tensors_are_the_business_of_counts():
    assert followed(120, lambda now: now * STEP, count=lambda now: now) == []


def test_many_tensors_are_counted_by_line_more_rarely():
    asked = []
    swelling = Swelling()
    for now in range(PERIOD, 40 * PERIOD + 1, PERIOD):
        swelling.feed(now, now, 30_000, lambda now=now: asked.append(now) or [])

    assert len(asked) == 10


def test_nothing_is_counted_while_bytes_do_not_rise():
    swelling, asked = Swelling(), []

    for now in range(PERIOD, 400, PERIOD):
        swelling.feed(now, 1000, 10, lambda now=now: asked.append(now) or [])

    assert asked == [PERIOD]

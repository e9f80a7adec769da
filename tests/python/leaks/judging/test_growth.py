"""The growth test: what tells a leak from a cache, a buffer and noise."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from garboard.leaks.judging._growth import GRACE, PERIOD, WARMUP, Growth, is_spread, is_steady

Lives = Callable[[int, int, random.Random], Iterator[tuple[int, int]]]


def confirmed_at(die_at: dict[int, list[int]], steps: int) -> int | None:
    """Return the step at which a leak is certain, given when each step's births die."""
    growth = Growth()
    for now in range(PERIOD, steps + 1, PERIOD):
        born = range(WARMUP + 1, now - GRACE + 1)
        alive = {step: sum(end > now for end in die_at.get(step, ())) for step in born}
        cohorts = {step: count for step, count in alive.items() if count}
        growth.feed(now, cohorts)
        if growth.is_confirmed and is_steady(cohorts, now):
            return now
    return None


FOREVER = 10**9


class TestALeakIsConfirmed:
    def test_of_one_a_step_at_step_56(self):
        assert confirmed_at({step: [FOREVER] for step in range(600)}, 600) == 56

    @pytest.mark.parametrize("every", [2, 3, 8, 20])
    def test_of_one_in_several_steps(self, every):
        lives = {step: [FOREVER] for step in range(0, 800, every)}

        assert confirmed_at(lives, 800) is not None

    def test_that_begins_in_mid_run(self):
        lives = {step: [FOREVER] for step in range(300, 600)}

        found = confirmed_at(lives, 600)

        assert found is not None
        assert 300 < found <= 368

    def test_that_shares_its_line_with_noise(self):
        draw = random.Random(3)
        lives = {
            step: [FOREVER, *(step + draw.randrange(1, 4) for _ in range(5))] for step in range(600)
        }

        assert confirmed_at(lives, 600) == 56


class TestIsSilentAbout:
    def test_what_dies_in_the_step(self):
        assert confirmed_at({step: [step + 1] for step in range(600)}, 600) is None

    def test_a_ring_of_sixteen(self):
        assert confirmed_at({step: [step + 16] for step in range(600)}, 600) is None

    def test_a_list_capped_at_fifty(self):
        assert confirmed_at({step: [step + 50] for step in range(600)}, 600) is None

    def test_single_events(self):
        assert confirmed_at({step: [FOREVER] for step in (5, 90, 91, 200)}, 600) is None

    def test_a_ramp_of_warm_up(self):
        assert confirmed_at({step: [FOREVER] for step in range(20)}, 600) is None

    @pytest.mark.parametrize("seed", range(20))
    def test_random_lifetimes(self, seed):
        draw = random.Random(seed)
        lives = {step: [step + int(draw.expovariate(0.1))] for step in range(600)}

        assert confirmed_at(lives, 600) is None

    @pytest.mark.parametrize("seed", range(20))
    def test_a_cache_of_twelve_keys(self, seed):
        draw = random.Random(seed)
        keys, lives = set(), {}
        for step in range(600):
            key = draw.randrange(12)
            if key not in keys:
                lives[step] = [FOREVER]
            keys.add(key)

        assert confirmed_at(lives, 600) is None


def test_survivors_must_lie_in_every_quarter_of_the_window():
    assert is_spread(dict.fromkeys(range(1, 21), 1), now=24, window=24)
    assert not is_spread(dict.fromkeys(range(1, 16), 1), now=24, window=24)


def test_fewer_than_six_birth_steps_are_single_events():
    assert not is_spread(dict.fromkeys((1, 6, 11, 16, 20), 1), now=24, window=24)


def test_a_decelerating_cache_is_not_steady():
    cohorts = {step: 3 if step < 40 else 1 for step in range(4, 116)}

    assert not is_steady(cohorts, now=120)
    assert is_steady(dict.fromkeys(range(4, 116), 1), now=120)


def rising_at(lives: Callable[[int], list[int]], steps: int, seed: int = 7) -> list[int]:
    """Return the steps at which ever more live, given the ends of what is born in each step."""
    growth, ends, found = Growth(), {}, []
    for now in range(1, steps + 1):
        ends[now] = lives(now)
        if now % PERIOD == 0:
            alive = {it: sum(end > now for end in ends[it]) for it in ends if it <= now - GRACE}
            growth.feed(now, {it: count for it, count in alive.items() if count})
            found += [now] if growth.is_rising(now) else []
    return found


class TestEverMoreLive:
    def test_where_some_of_each_step_end_at_any_age(self):
        dice = random.Random(7)

        found = rising_at(
            lambda now: [FOREVER, FOREVER, now + dice.randrange(8, 80), now + 5], steps=160
        )

        assert found[0] <= 120
        assert found[-1] == 160

    @pytest.mark.parametrize("mean", [5, 20, 60])
    def test_not_where_all_end_after_some_time(self, mean):
        dice = random.Random(mean)

        found = rising_at(
            lambda now: [now + int(dice.expovariate(1 / mean)) for _ in range(3)], steps=800
        )

        assert not found

    def test_not_of_a_window_that_slides(self):
        assert not rising_at(lambda now: [now + 90], steps=400)

    def test_not_where_nobody_has_looked_of_late(self):
        growth = Growth()
        for now in range(PERIOD, 161, PERIOD):
            growth.feed(now, {1: now})

        assert growth.is_rising(160)
        assert not growth.is_rising(320)

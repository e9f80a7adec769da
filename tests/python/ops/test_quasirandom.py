"""Sobol's sequence, whose points SciPy makes."""

from __future__ import annotations

import sys

import garboard as gb
import numpy as np
import pytest
from garboard.quasirandom import SobolEngine

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestASobolEngine:
    def test_begins_at_zero_and_halves_the_room(self):
        engine = SobolEngine(3)

        points = engine.draw(4)

        assert points.dtype == gb.float32
        assert points.tolist() == [
            [0, 0, 0],
            [0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25],
            [0.25, 0.75, 0.75],
        ]
        assert engine.num_generated == 4

    def test_goes_on_where_it_stopped(self):
        whole = SobolEngine(5).draw(16)
        engine = SobolEngine(5)

        parts = [engine.draw(3), engine.draw(0), engine.draw(5), engine.fast_forward(4).draw(4)]

        assert [len(it) for it in parts] == [3, 0, 5, 4]
        assert gb.equal(gb.cat(parts), gb.cat([whole[:8], whole[12:]]))
        assert gb.equal(engine.reset().draw_base2(4), whole)

    def test_has_one_point_in_each_box_of_a_power_of_two(self):
        points = SobolEngine(2, scramble=True, seed=7).draw_base2(6, dtype=gb.float64)

        boxes = (points * 8).long()
        assert len({tuple(it) for it in boxes.tolist()}) == 64

    def test_is_scrambled_by_its_seed_and_by_the_default_generators(self):
        gb.manual_seed(1)
        drawn = SobolEngine(2, scramble=True).draw(4)
        gb.manual_seed(1)

        assert gb.equal(SobolEngine(2, scramble=True).draw(4), drawn)
        assert not gb.equal(SobolEngine(2, scramble=True).draw(4), drawn)
        seeded = SobolEngine(2, scramble=True, seed=3)
        first = seeded.draw(4)
        assert gb.equal(seeded.reset().draw(4), first)
        assert gb.equal(SobolEngine(2, scramble=True, seed=3).draw(4), first)

    def test_writes_where_it_is_told_to(self):
        out = gb.empty(2, 2, dtype=gb.float64)

        assert SobolEngine(2).draw(2, out=out, dtype=gb.float64) is out
        assert out.tolist() == [[0, 0], [0.5, 0.5]]

    def test_tells_what_it_was_made_with(self):
        assert repr(SobolEngine(2)) == "SobolEngine(dimension=2)"
        assert repr(SobolEngine(2, True, 3)) == "SobolEngine(dimension=2, scramble=True, seed=3)"

    @pytest.mark.parametrize(
        ("call", "error", "text"),
        [
            (lambda: SobolEngine(0), ValueError, "SobolEngine: dimension 0; 1 or more"),
            (lambda: SobolEngine(21202), ValueError, "at most 21201 is possible"),
            (lambda: SobolEngine(2).draw(-1), ValueError, "draw: n -1; 0 or more"),
            (lambda: SobolEngine(2).draw(2**31), ValueError, "at most 2.30 points"),
            (lambda: SobolEngine(2, scramble=3), TypeError, "SobolEngine: scramble"),
            (lambda: SobolEngine(2).fast_forward(1).draw_base2(1), ValueError, "a power of 2 is"),
            (lambda: SobolEngine(2).draw_base2(10**12), ValueError, "at most 30 is possible"),
        ],
    )
    def test_refuses_what_it_cannot_do(self, call, error, text):
        with pytest.raises(error, match=text):
            call()

    def test_says_what_brings_scipy_where_it_is_missing(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "scipy.stats.qmc", None)

        with pytest.raises(ModuleNotFoundError, match=r"garboard\[quasirandom\]"):
            SobolEngine(2)

    def test_is_as_even_as_scipys(self):
        from scipy.stats import qmc

        ours = SobolEngine(7).draw(64, dtype=gb.float64).numpy()

        assert np.array_equal(ours, qmc.Sobol(7, scramble=False, bits=30).random(64))

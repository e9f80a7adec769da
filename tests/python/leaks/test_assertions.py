"""Assertions about lives: what must be gone when a block ends."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestExpectFreed:
    def test_lets_go_what_is_gone_in_a_cycle_or_disposed(self):
        gone, disposed, module = gb.ones(3), gb.ones(3), gb.nn.Linear(2, 2)
        module.itself = [module]

        with gb.leaks.expect_freed(gone, disposed, module):
            disposed.dispose()
            del gone, module

    def test_names_who_holds_what_lives_on(self):
        x = gb.ones(3)
        cache = [x]

        block = gb.leaks.expect_freed(x, reason="the run is over")
        with pytest.raises(gb.leaks.LeakError, match="was expected to be freed") as caught, block:
            del x

        (leak,) = caught.value.leaks
        assert "`cache`" in leak.holder
        assert "(the run is over)" in leak.evidence
        assert leak.bytes == 12
        assert len(cache) == 1

    def test_does_not_judge_a_block_that_raises(self):
        x = gb.ones(3)

        with pytest.raises(KeyError), gb.leaks.expect_freed(x):
            raise KeyError("mine")

    @pytest.mark.parametrize(
        ("things", "named", "message"),
        [
            ((5,), {}, "expect_freed: a int, which cannot be referred to weakly"),
            ((gb,), {"reason": 5}, "expect_freed: reason is of type int"),
        ],
    )
    def test_refuses_what_it_cannot_watch(self, things, named, message):
        with pytest.raises(TypeError, match=message):
            gb.leaks.expect_freed(*things, **named)

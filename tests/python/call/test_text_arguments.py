"""A str that no UTF-8 can write is refused wherever text is asked for, and breaks no report."""

from __future__ import annotations

import garboard as gb
import pytest

HALF = "\ud800"


@pytest.mark.parametrize(
    "call",
    [
        lambda: gb.ones(2, device=HALF),
        lambda: gb.ones(2).to(HALF),
        lambda: gb.device(HALF),
        lambda: gb.dispose_scope(limit=HALF),
        lambda: gb.dispose_scope(HALF).__enter__(),
        lambda: gb.memory.memory_stats(HALF),
        lambda: gb.memory.set_memory_limit(HALF),
        lambda: gb.profiler.record_function(HALF).__enter__(),
    ],
    ids=["create", "to", "device", "limit", "name", "memory_stats", "cap", "record_function"],
)
def test_half_of_a_surrogate_pair_is_no_text(call):
    with pytest.raises(
        ValueError, match=r"^\w+: \w+ is '\\ud800'; a text without half of"
    ) as caught:
        call()

    assert not isinstance(caught.value, UnicodeError)


@pytest.mark.parametrize(
    "call",
    [
        lambda: gb.gelu(gb.ones(2), approximate=HALF),
        lambda: gb.mse_loss(gb.ones(2), gb.ones(2), reduction=HALF),
    ],
    ids=["gelu", "mse_loss"],
)
def test_half_of_a_surrogate_pair_is_no_choice(call):
    with pytest.raises(ValueError, match=r"^\w+: \w+ '\\ud800'; '\w+'.* or '\w+' is needed$"):
        call()


def test_a_limit_is_read_to_its_end():
    with pytest.raises(gb.GarboardError, match=r"^dispose_scope: limit '1 GiB"):
        gb.dispose_scope(limit="1 GiB\0 and more")


def test_a_scope_opens_under_a_name_with_a_zero():
    with gb.dispose_scope("a\0b") as scope:
        assert scope.name == "a\0b"
        assert gb.current_dispose_scope().name == "a\0b"


def test_a_program_of_an_unwritable_file_has_sites():
    space = {"gb": gb}
    exec(compile("x = gb.ones(3)", HALF, "exec"), space)

    assert "?:1" in str(gb.leaks.live(group="site"))

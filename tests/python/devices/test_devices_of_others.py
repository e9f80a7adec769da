"""Kinds of devices that PyTorch knows and garboard does not use."""

from importlib import import_module

import garboard as gb
import pytest

KINDS = ["mps", "mtia", "xpu"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_that_looks_for_a_device_finds_none(kind):
    module = getattr(gb, kind)

    assert module is import_module(f"garboard.{kind}")
    assert not module.is_available()
    assert module.device_count() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_what_needs_no_device_does_nothing(kind):
    module = getattr(gb, kind)
    with gb.leaks.no_leaks():
        gb.manual_seed(5)
        expected = gb.rand(2).tolist()
        gb.manual_seed(5)
        module.manual_seed(6)
        module.empty_cache()

        assert gb.rand(2).tolist() == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_is_an_integer(kind):
    with pytest.raises(TypeError, match="manual_seed: seed is of type str; an integer is needed"):
        getattr(gb, kind).manual_seed("a")


@pytest.mark.parametrize("kind", KINDS)
def test_what_needs_a_device_is_not_there(kind):
    assert not hasattr(getattr(gb, kind), "Stream")

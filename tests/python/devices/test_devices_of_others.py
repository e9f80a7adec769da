"""Kinds of devices that PyTorch knows and garboard does not use."""

from importlib import import_module

import garboard as gb
import pytest
from garboard import nn

KINDS = ["mps", "mtia", "xpu"]
NAMED = [*KINDS, "hpu", "xla"]


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


@pytest.mark.parametrize("kind", NAMED)
class TestAnAbsentDevice:
    def test_can_be_named_and_compared_with(self, kind):
        device = gb.device(kind)

        assert device.type == kind
        assert str(device) == kind
        assert device == gb.device(f"{kind}:0") == gb.device(kind, 0)
        assert device != gb.device("cpu")
        assert gb.zeros(1).device != device
        assert len({device, gb.device(kind), gb.device("meta"), gb.device("cpu")}) == 3

    def test_holds_nothing_and_says_so(self, kind):
        told = rf": device {kind} cannot be used; there are none of this kind here; one of \"cpu\""
        x, module = gb.ones(2), nn.Linear(1, 1)

        for call in (
            lambda: gb.zeros(1, device=kind),
            lambda: x.to(kind),
            lambda: x.to(gb.device(kind)),
            lambda: gb.tensor([1.0], device=kind),
            lambda: gb.empty_like(x, device=kind),
            lambda: module.to(kind),
        ):
            with pytest.raises(gb.DeviceError, match=told):
                call()

        assert module.weight.device == gb.device("cpu")

    def test_is_not_among_those_that_a_message_offers(self, kind):
        with pytest.raises(gb.DeviceError, match=r'device "nowhere"; one of "cpu"') as caught:
            gb.device("nowhere")

        assert f'"{kind}"' not in str(caught.value)
        with pytest.raises(gb.DeviceError, match=f'device "{kind}:1"'):
            gb.device(kind, 1)

    def test_has_no_bytes(self, kind):
        assert kind not in str(gb.memory.live())
        with gb.dispose_scope() as scope:
            gb.zeros(4)

        assert kind not in scope.peak_bytes

"""Pinned memory: copied from and to by a device, and not used again before that is done.

On the stand-in a queued copy is done as late as it may be.
"""

from __future__ import annotations

import copy

import garboard as gb
import pytest

from tests.support.cuda_agreement import on_cuda
from tests.support.live_memory import balanced  # noqa: F401

without_cuda = pytest.mark.skipif(gb.cuda.is_available(), reason="there is a CUDA device")

SIZE = 1 << 16


def is_late() -> bool:
    """Tell whether the device is the stand-in, which does nothing before it must."""
    return gb.cuda.get_device_name() == "simulated"


class TestPinnedMemory:
    @on_cuda
    def test_holds_the_same_elements(self, balanced):  # noqa: F811
        x = gb.arange(6).reshape(2, 3).T

        pinned = x.pin_memory()

        assert pinned.is_pinned()
        assert not x.is_pinned()
        assert gb.equal(pinned, x)
        assert pinned.pin_memory().data_ptr() == pinned.data_ptr()
        assert gb.zeros(0).pin_memory().is_pinned()
        assert not x.cuda().is_pinned()

    @on_cuda
    def test_is_asked_for_where_tensors_are_made(self):
        x = gb.ones(3, pin_memory=True, requires_grad=True)

        assert x.is_pinned()
        assert x.is_leaf
        assert x.requires_grad
        assert gb.tensor([1, 2], pin_memory=True).is_pinned()
        assert gb.empty_like(x, pin_memory=True).is_pinned()
        with pytest.raises(gb.DeviceError, match="pin_memory: a tensor on cuda:0"):
            gb.ones(2, device="cuda", pin_memory=True)

    @on_cuda
    def test_lets_the_gradient_through(self):
        x = gb.ones(3, requires_grad=True)

        (x.pin_memory() * 2).sum().backward()

        assert x.grad is not None
        assert x.grad.tolist() == [2.0] * 3

    @on_cuda
    def test_is_copied_from_while_the_program_goes_on(self):
        pinned = gb.full((SIZE,), 7.0).pin_memory()

        there = pinned.to("cuda", non_blocking=True)
        pinned.fill_(1.0)  # too early
        given = there.tolist()

        assert not is_late() or given == [1.0] * SIZE

    @on_cuda
    def test_is_not_used_again_before_a_copy_is_done(self):
        pinned = gb.full((SIZE,), 7.0).pin_memory()
        there = pinned.to("cuda", non_blocking=True)

        del pinned
        others = [gb.full((SIZE,), 1.0).pin_memory() for _ in range(3)]

        assert there.tolist() == [7.0] * SIZE
        del others

    @on_cuda
    def test_is_copied_to_while_the_program_goes_on(self):
        x = gb.full((SIZE,), 7.0, device="cuda")
        pinned = gb.zeros(SIZE, pin_memory=True)

        assert pinned.copy_(x, non_blocking=True) is pinned
        gb.cuda.current_stream().synchronize()

        assert pinned.tolist() == [7.0] * SIZE

    @on_cuda
    def test_alone_is_not_waited_for(self):
        x = gb.full((SIZE,), 7.0)

        there = x.to("cuda", non_blocking=True)
        x.fill_(1.0)
        back = there.to("cpu", non_blocking=True)

        assert back.tolist() == [7.0] * SIZE

    @on_cuda
    def test_takes_what_must_be_converted_or_laid_out(self):
        pinned = gb.arange(6).reshape(2, 3).pin_memory()
        there = gb.zeros(3, 2, device="cuda")

        there.T.copy_(pinned, non_blocking=True)

        assert there.tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]

    @on_cuda
    def test_is_outside_of_the_books_of_the_cpu(self):
        before = gb.memory.memory_allocated(), gb.memory.live("cpu").bytes
        pinned = gb.ones(SIZE, pin_memory=True)

        assert pinned.storage().is_foreign
        assert (gb.memory.memory_allocated(), gb.memory.live("cpu").bytes) == before

    @on_cuda
    def test_can_be_recorded_for_a_stream(self):
        pinned = gb.ones(2, pin_memory=True)

        pinned.record_stream(gb.cuda.current_stream())

    @on_cuda
    def test_is_copied_like_any_other(self):
        pinned = gb.ones(2, pin_memory=True)

        assert not pinned.clone().is_pinned()
        assert not copy.deepcopy(pinned).is_pinned()
        assert pinned[1:].is_pinned()

    @on_cuda
    def test_is_what_a_loader_yields(self):
        class Custom:
            def pin_memory(self):
                return "pinned"

        samples = [{"x": gb.ones(2), "y": (1, "text"), "z": [gb.zeros(1)]}] * 4
        loader = gb.utils.data.DataLoader(samples, 2, pin_memory=True)
        one = next(iter(gb.utils.data.DataLoader([Custom()], None, pin_memory=True)))

        batch = next(iter(loader))

        assert batch["x"].is_pinned()
        assert batch["y"][0].is_pinned()
        assert batch["y"][1] == ("text", "text")
        assert batch["z"][0].is_pinned()
        assert one == "pinned"

    @on_cuda
    def test_of_parameters_goes_to_the_device(self):
        layer = gb.nn.Linear(3, 2)
        expected = layer(gb.ones(3)).tolist()
        for parameter in layer.parameters():
            parameter.data = parameter.detach().pin_memory()

        layer.to("cuda", non_blocking=True)

        assert layer(gb.ones(3, device="cuda")).tolist() == pytest.approx(expected)

    @on_cuda
    def test_keeps_what_backward_needs(self):
        x = gb.ones(SIZE, device="cuda", requires_grad=True)
        with gb.autograd.graph.save_on_cpu(pin_memory=True):
            y = x.exp().sum()

        y.backward()

        assert x.grad is not None
        assert x.grad.sum().item() == pytest.approx(SIZE * 2.718281828, rel=1e-4)


@without_cuda
def test_a_loader_warns_where_nothing_can_be_pinned():
    loader = gb.utils.data.DataLoader([1.0, 2.0], 2, pin_memory=True)

    with pytest.warns(UserWarning, match=r"DataLoader: pin_memory=True, and nothing is pinned"):
        (batch,) = loader

    assert batch.tolist() == [1.0, 2.0]

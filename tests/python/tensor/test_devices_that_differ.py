"""Every op of several tensors takes them on one device, and says so before it does anything."""

from __future__ import annotations

from operator import attrgetter

import garboard as gb
import pytest
from garboard.memory import SimulatedDevice

from tests.python.ops.op_row import Row
from tests.python.ops.op_table import ROWS
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

# They look at one tensor's sizes or dtype alone.
INDIFFERENT = ("broadcast_tensors", "expand_as", "reshape_as", "view_as")
OF_SEVERAL = [row for row in ROWS if len(row.inputs(row.dtypes[0])) > 1]


@pytest.fixture
def device():
    with SimulatedDevice("64 MiB") as device:
        yield device


def rows(chosen: list[Row]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", chosen, ids=attrgetter("name"))


@rows([row for row in OF_SEVERAL if row.name not in INDIFFERENT])
def test_an_op_of_several_tensors_refuses_one_that_is_elsewhere(row, device):
    for place in range(len(row.inputs(row.dtypes[0]))):
        inputs = row.inputs(row.dtypes[0])
        inputs[place] = inputs[place].to(device)

        with pytest.raises(gb.DeviceError, match=r"device, use to\(\)"):
            row.call(*inputs, case=row.cases[0])


@rows([row for row in OF_SEVERAL if row.has_in_place])
def test_an_op_in_place_refuses_what_is_elsewhere_and_writes_nothing(row, device):
    first, *others = row.inputs(row.dtypes[0])
    before = first.tolist()

    with pytest.raises(gb.DeviceError, match=r"device, use to\(\)"):
        getattr(first, f"{row.name}_")(*(other.to(device) for other in others))

    assert first.tolist() == before


def test_an_out_of_what_is_composed_is_refused_elsewhere(device):
    for call, given in ((gb.sum, gb.ones(2)), (gb.linalg.det, gb.eye(2))):
        out = call(given).to(device)
        with pytest.raises(gb.DeviceError, match="out is on simulated"):
            call(given, out=out)


@rows([row for row in ROWS if row.takes_out])
def test_an_out_that_is_elsewhere_is_refused(row, device):
    inputs = row.inputs(row.dtypes[0])
    result = row.call(*inputs, case=row.cases[0])

    with pytest.raises(gb.DeviceError, match="out is on simulated"):
        getattr(gb, row.name)(*inputs, out=result.to(device))
    with pytest.raises(gb.DeviceError, match="out is on cpu"):
        getattr(gb, row.name)(*(it.to(device) for it in inputs), out=result)


class TestAGradient:
    def test_that_is_elsewhere_starts_no_pass(self, device):
        x = gb.ones(3, requires_grad=True)
        y = x * 2

        with pytest.raises(gb.DeviceError, match=r"backward: a gradient on simulated:\d for"):
            y.backward(gb.ones(3, device=device))
        with pytest.raises(gb.DeviceError, match=r"grad: a gradient on simulated:\d for"):
            gb.autograd.grad(y, x, gb.ones(3, device=device))

        assert x.grad is None
        y.backward(gb.ones(3))  # the graph is whole

    def test_that_is_elsewhere_is_not_taken_from_a_hook(self, device):
        x = gb.ones(3, requires_grad=True)
        x.register_hook(lambda grad: grad.to(device))

        with pytest.raises(gb.DeviceError, match=r"hook: it returned one on simulated:\d"):
            (x * 2).sum().backward()

        assert x.grad is None

    def test_that_is_elsewhere_is_not_assigned(self, device):
        x = gb.ones(3, requires_grad=True)

        with pytest.raises(gb.DeviceError, match=r"grad: on simulated:\d"):
            x.grad = gb.ones(3, device=device)

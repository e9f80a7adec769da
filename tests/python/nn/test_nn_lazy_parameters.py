"""Parameters of lazy layers: the same objects before the first input and after it."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn, optim

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.mark.parametrize("made", [optim.SGD, optim.Adam])
def test_an_optimizer_made_before_the_first_input_learns(made):
    layer = nn.LazyLinear(1)
    waiting = layer.weight
    optimizer = made(layer.parameters(), lr=0.1)
    x = gb.ones(2, 3)

    layer(x)
    before = layer.weight.detach().clone()
    layer(x).sum().backward()
    optimizer.step()

    assert layer.weight is waiting
    assert type(waiting) is nn.Parameter
    assert gb.all(layer.weight < before)

    optimizer.zero_grad()

    assert waiting.grad is None


def test_a_frozen_parameter_stays_frozen_and_itself():
    layer = nn.LazyConv2d(2, 1)
    waiting = layer.weight.requires_grad_(False)

    layer(gb.ones(1, 3, 2, 2))

    assert layer.weight is waiting
    assert not layer.weight.requires_grad
    assert layer.weight.shape == (2, 3, 1, 1)


def test_a_parameter_that_is_converted_before_the_first_input_stays_itself():
    layer = nn.LazyLinear(1)
    waiting = layer.weight
    optimizer = optim.SGD(layer.parameters(), lr=0.1)

    layer.double()
    layer(gb.ones(2, 3, dtype=gb.float64)).sum().backward()
    before = waiting.detach().clone()
    optimizer.step()

    assert layer.weight is waiting
    assert waiting.dtype == gb.float64
    assert gb.all(waiting < before)


def test_a_parameter_that_is_loaded_stays_itself():
    layer = nn.LazyLinear(2)
    waiting = layer.weight
    other = nn.Linear(3, 2)

    layer.load_state_dict(other.state_dict())

    assert layer.weight is waiting
    assert type(waiting) is nn.Parameter
    assert gb.equal(waiting, other.weight)


def test_a_parameter_is_given_sizes():
    waiting = nn.UninitializedParameter(dtype=gb.float64)

    waiting.materialize((2, 3))

    assert type(waiting) is nn.Parameter
    assert (waiting.shape, waiting.dtype, waiting.requires_grad) == ((2, 3), gb.float64, True)


@pytest.mark.parametrize("lazy", [nn.LazyBatchNorm1d, nn.LazyInstanceNorm1d])
def test_a_lazy_norm_leaves_its_bias_out(lazy):
    layer = lazy(bias=False)

    layer(gb.ones(2, 3, 5))

    assert layer.bias is None
    assert "bias" not in layer.state_dict()
    assert layer.weight.shape == (3,)

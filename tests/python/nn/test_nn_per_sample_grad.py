"""Gradients of each sample are those that the sample alone would give."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn
from garboard.nn.utils._per_sample_grad import call_for_per_sample_grads as call_of

pytestmark = pytest.mark.usefixtures("no_leaks")


def each_alone(module, x, dim=0):
    found = []
    for sample in x.split(1, dim):
        module.zero_grad()
        module(sample).square().sum().backward()
        found.append([it.grad.clone() for it in module.parameters()])
    module.zero_grad()
    return [gb.stack(column) for column in zip(*found, strict=True)]


MODULES = {
    "linear": (lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)), (5, 3)),
    "convolution": (
        lambda: nn.Sequential(nn.Conv2d(2, 4, 3), nn.GroupNorm(2, 4), nn.Flatten()),
        (3, 2, 5, 5),
    ),
    "norm": (lambda: nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4)), (5, 6, 3)),
}


@pytest.mark.parametrize("name", MODULES)
def test_they_are_those_of_the_sample_alone(name):
    make, sizes = MODULES[name]
    gb.manual_seed(0)
    module, x = make(), gb.randn(*sizes)

    call_of(module)(x).square().sum().backward()

    assert all(it.grad is None for it in module.parameters())
    for parameter, wanted in zip(module.parameters(), each_alone(module, x), strict=True):
        gb.testing.assert_close(parameter.grad_sample, wanted, rtol=1e-4, atol=1e-5)


def test_the_mean_of_losses_is_told():
    gb.manual_seed(0)
    module, x = nn.Linear(3, 1), gb.randn(4, 3)

    call_of(module, loss_reduction="mean")(x).square().mean().backward()

    wanted = each_alone(module, x)
    gb.testing.assert_close(module.weight.grad_sample, wanted[0], rtol=1e-4, atol=1e-5)


def test_samples_may_stand_in_dim_1():
    gb.manual_seed(0)
    module, x = nn.Linear(3, 2), gb.randn(6, 4, 3)

    result = call_of(module, batch_first=False)(x)
    result.square().sum().backward()

    assert result.shape == (6, 4, 2)
    gb.testing.assert_close(module.weight.grad_sample, each_alone(module, x, dim=1)[0])


def test_what_is_frozen_has_none_and_arguments_have_their_gradient():
    module, x = nn.Linear(3, 2), gb.ones(4, 3, requires_grad=True)
    module.bias.requires_grad_(False)

    call_of(module)(x).sum().backward()

    assert not hasattr(module.bias, "grad_sample")
    gb.testing.assert_close(x.grad[0], module.weight.detach().sum(0))


def test_further_backward_passes_add():
    module = nn.Linear(3, 2)

    loss = call_of(module)(gb.ones(4, 3)).sum()
    loss.backward(retain_graph=True)
    loss.backward()

    assert module.weight.grad_sample.unique().tolist() == [2]


def test_hostile_arguments_are_refused():
    module, x = nn.Linear(3, 2), gb.ones(4, 3)

    with pytest.raises(TypeError, match="module is of type int"):
        call_of(3)
    with pytest.raises(TypeError, match="batch_size"):
        call_of(module, batch_size="x")
    with pytest.raises(ValueError, match="loss_reduction 'max'"):
        call_of(module, loss_reduction="max")
    with pytest.raises(RuntimeError, match=r"batches of sizes \[4, 5\]"):
        call_of(module, batch_size=5)(x)
    with pytest.raises(RuntimeError, match=r"batches of sizes \[\]"):
        call_of(module)()
    with pytest.raises(RuntimeError, match="a tensor without the batch"):
        call_of(module)(gb.tensor(1.0))
    module.weight.grad_sample = gb.ones(4, 2, 3)
    with pytest.raises(RuntimeError, match="'weight' has a grad_sample"):
        call_of(module)(x)

"""Modules in wrappers that keep less for backward compute what they computed."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn
from garboard.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    CheckpointWrapper,
    OffloadWrapper,
    apply_activation_checkpointing,
    checkpoint_wrapper,
    offload_wrapper,
)

pytestmark = pytest.mark.usefixtures("no_leaks")


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.weight = nn.Parameter(gb.tensor([2.0, 3.0]))

    def forward(self, x, *, power=1):
        self.calls += 1
        return (x * self.weight).exp() ** power


@pytest.mark.parametrize(("wrap", "calls"), [(checkpoint_wrapper, 2), (offload_wrapper, 1)])
def test_gradients_are_those_of_the_module_inside(wrap, calls):
    plain, inside = Counted(), Counted()
    x = gb.tensor([0.5, 0.25], requires_grad=True)
    wrapped = wrap(inside)

    wanted = gb.autograd.grad(plain(x, power=2).sum(), [x, plain.weight])
    found = gb.autograd.grad(wrapped(x, power=2).sum(), [x, wrapped.weight])

    assert [it.tolist() for it in found] == [it.tolist() for it in wanted]
    assert inside.calls == calls


def test_state_has_the_names_of_the_module_inside():
    plain = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    wrapped = nn.Sequential(checkpoint_wrapper(nn.Linear(2, 2)), offload_wrapper(nn.Linear(2, 1)))

    wrapped.load_state_dict(plain.state_dict())

    assert list(wrapped.state_dict()) == list(plain.state_dict())
    assert gb.equal(wrapped[0].weight, plain[0].weight)
    assert [name for name, _ in wrapped[0].named_parameters()] == ["weight", "bias"]


def test_a_wrapper_has_what_the_module_inside_has():
    wrapped = checkpoint_wrapper(nn.Sequential(nn.Linear(2, 3)), preserve_rng_state=False)

    assert wrapped[0].out_features == 3
    assert wrapped.extra_repr() == ""
    with pytest.raises(AttributeError, match="nothing"):
        _ = wrapped.nothing


def test_a_function_of_ones_own_may_run_it():
    heard = []

    def run(module, x, *, note):
        heard.append(note)
        return module(x)

    checkpoint_wrapper(nn.Linear(2, 1), checkpoint_fn=run, note="a")(gb.ones(1, 2))

    assert heard == ["a"]


def test_modules_below_a_model_are_wrapped_in_their_places():
    shared = nn.Linear(2, 2)
    model = nn.Sequential(shared, nn.Sequential(nn.ReLU(), shared))

    apply_activation_checkpointing(model, check_fn=lambda it: isinstance(it, nn.Linear))

    assert isinstance(model[0], CheckpointWrapper)
    assert model[0] is model[1][1]
    assert type(model[1][0]) is nn.ReLU
    apply_activation_checkpointing(
        model[1], offload_wrapper, auto_wrap_policy=lambda module, recurse, count: count == 0
    )
    assert isinstance(model[1][0], OffloadWrapper)
    model(gb.ones(1, 2)).sum().backward()
    assert shared.weight.grad is not None


def test_what_is_no_module_is_refused():
    for call in (checkpoint_wrapper, offload_wrapper, apply_activation_checkpointing):
        with pytest.raises(TypeError, match="of type int; a Module is needed"):
            call(3)
    with pytest.raises(TypeError, match="checkpoint_impl is of type str"):
        checkpoint_wrapper(nn.Linear(1, 1), "no")
    assert checkpoint_wrapper(nn.Linear(1, 1), CheckpointImpl.REENTRANT).checkpoint_impl.value == 1

"""Copies of optimizers: deep ones and pickled ones go on from the same state, apart."""

from __future__ import annotations

import copy
import pickle

import garboard as gb
import pytest
from garboard import optim

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Halving(optim.Optimizer):
    """A user's own, with state of its own."""

    def __init__(self, params, lr=0.5):
        super().__init__(params, {"lr": lr})

    @gb.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                kept = self.state[p].setdefault("mean", gb.zeros_like(p))
                kept.lerp_(p, 0.5)
                p.sub_(kept * group["lr"])


MADE = {
    "SGD": {"lr": 0.1, "momentum": 0.9},
    "Adam": {"lr": 0.1},
    "AdamW": {"lr": 0.1, "amsgrad": True},
    "RMSprop": {"lr": 0.1, "momentum": 0.5, "centered": True},
    "Adagrad": {"lr": 0.1},
    "NAdam": {"lr": 0.1},
    "Rprop": {"lr": 0.1},
    "Halving": {},
}
WAYS = {"deepcopy": copy.deepcopy, "pickle": lambda it: pickle.loads(pickle.dumps(it))}


def steps(optimizer, count):
    (x,) = optimizer.param_groups[0]["params"]
    for _ in range(count):
        optimizer.zero_grad()
        (x * x).sum().backward()
        optimizer.step()
    return x.tolist()


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("way", WAYS)
def test_a_copy_goes_on_from_the_same_state_apart_from_the_other(name, way):
    kind = globals().get(name) or getattr(optim, name)
    optimizer = kind([gb.nn.Parameter(gb.tensor([1.0, -2.0, 3.0]))], **MADE[name])
    before = steps(optimizer, 3)

    copied = WAYS[way](optimizer)

    expected = steps(optimizer, 2)
    assert copied.param_groups[0]["params"][0].tolist() == before
    assert steps(copied, 2) == expected
    assert repr(copied) == repr(optimizer)


def test_a_model_and_its_optimizer_are_copied_together():
    model = gb.nn.Linear(2, 1)
    optimizer = optim.Adam(model.parameters())
    optimizer.register_step_pre_hook(lambda *_: None)

    other, others = copy.deepcopy((model, optimizer))

    assert others.param_groups[0]["params"][0] is other.weight
    other(gb.ones(1, 2)).sum().backward()
    others.step()
    assert not gb.equal(other.weight, model.weight)


def test_a_state_without_groups_is_refused():
    empty = gb.optim.Adam.__new__(gb.optim.Adam)

    with pytest.raises(ValueError, match=r"^Adam: a pickled state without param_groups; "):
        empty.__setstate__({})

"""Parameters that a conversion leaves what they are."""

from __future__ import annotations

import garboard as gb
import pytest

pytestmark = pytest.mark.no_leaks


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("contiguous", ()),
        ("cpu", ()),
        ("float", ()),
        ("positive", ()),
        ("to", ("cpu",)),
        ("to", (gb.float32,)),
        ("to_dense", ()),
        ("type", (gb.float32,)),
    ],
)
def test_a_parameter_is_itself_where_nothing_changes(name, given):
    weight = gb.nn.Parameter(gb.ones(2, 2))

    assert getattr(weight, name)(*given) is weight
    assert weight.type_as(weight) is weight


def test_what_changes_is_no_parameter():
    weight = gb.nn.Parameter(gb.ones(2, 3))

    made = [weight.double(), weight.to(gb.float64), weight.t().contiguous()]

    assert [type(it) for it in made] == [gb.Tensor] * 3
    assert made[0].requires_grad


def test_a_module_takes_a_parameter_that_was_made_for_its_device():
    layer = gb.nn.Linear(2, 2)

    layer.weight = gb.nn.Parameter(gb.ones(2, 2)).to(layer.bias.device)

    assert layer.weight.sum().item() == 4
    assert len(list(layer.parameters())) == 2


def test_a_block_that_has_moved_a_parameter_ends_nothing():
    weight = gb.nn.Parameter(gb.ones(2))

    with gb.dispose_scope():
        assert weight.to("cpu") is weight
        weight.double()

    assert weight.tolist() == [1, 1]

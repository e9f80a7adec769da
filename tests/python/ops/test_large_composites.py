"""Composite ops of many elements run as one chain, where nothing is recorded: with the bits that
their ops have, which run one by one where it is, and on few.
"""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import numpy as np
import pytest
from garboard.nn import functional

MANY, FEW = 1 << 17, 1 << 10  # in float32: a chain, and op by op

ELEMENTWISE: dict[str, tuple[int, Callable[..., gb.Tensor]]] = {
    "addcmul": (3, lambda x, y, z: gb.addcmul(x, y, z, value=0.3)),
    "addcdiv": (3, lambda x, y, z: gb.addcdiv(x, y, z)),
    "frac": (1, gb.frac),
    "hardshrink": (1, lambda x: functional.hardshrink(x, 0.7)),
    "softshrink": (1, lambda x: functional.softshrink(x, 0.7)),
    "huber": (2, lambda x, y: functional.huber_loss(x, y, "none", 0.4)),
    "mse": (2, lambda x, y: functional.mse_loss(x, y, reduction="none")),
    "smooth_l1": (2, lambda x, y: functional.smooth_l1_loss(x, y, reduction="none", beta=0.4)),
}


def values(count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [rng.normal(size=MANY).astype(np.float32) for _ in range(count)]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_values_and_gradients_have_the_bits_of_the_ops_on_few(name: str) -> None:
    count, op = ELEMENTWISE[name]
    arrays = values(count)
    whole = [gb.tensor(it, requires_grad=True) for it in arrays]
    made = op(*whole)
    assert gb.equal(made, op(*map(gb.Tensor.detach, whole)))
    made.sum().backward()
    for first in (0, MANY // 2, MANY - FEW):
        part = slice(first, first + FEW)
        some = [gb.tensor(it[part], requires_grad=True) for it in arrays]
        op(*some).sum().backward()
        assert gb.equal(made[part], op(*some))
        for one, of_part in zip(whole, some, strict=True):
            assert gb.equal(one.grad[part], of_part.grad)


@pytest.mark.parametrize("name", ["addcmul", "addcdiv"])
def test_in_place_and_out_forms_write_the_same(name: str) -> None:
    x, y, z = map(gb.tensor, values(3))
    made = getattr(gb, name)(x, y, z, value=0.5)
    out = gb.empty(MANY)
    assert getattr(gb, name)(x, y, z, value=0.5, out=out) is out
    assert gb.equal(out, made)
    assert gb.equal(getattr(x.clone(), name + "_")(y, z, value=0.5), made)


def test_nansum_passes_over_nan_and_gives_it_no_gradient() -> None:
    (array,) = values(1)
    array[::3] = np.nan
    x = gb.tensor(array, requires_grad=True)
    total = x.nansum()
    total.backward()
    assert total.item() == gb.where(x.isnan(), 0.0, x).sum().item()
    assert gb.equal(x.grad, (~x.isnan()).float())
    assert total.item() == x.detach().nansum().item()
    rows = x.detach().reshape(64, -1)
    assert gb.equal(rows.nansum(0), gb.where(rows.isnan(), 0.0, rows).sum(0))
    assert rows.nansum(dtype=gb.float64).dtype == gb.float64


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_losses_are_those_of_their_elements(reduction: str) -> None:
    x, y = map(gb.tensor, values(2))
    for loss in (functional.mse_loss, functional.huber_loss, functional.smooth_l1_loss):
        each = loss(x, y, reduction="none")
        expected = getattr(each, reduction)().item()
        assert loss(x, y, reduction=reduction).item() == expected
        recorded = loss(x.clone().requires_grad_(), y, reduction=reduction)
        assert recorded.item() == expected


def test_second_gradients_go_through() -> None:
    x = gb.tensor(values(1)[0], requires_grad=True)
    (slope,) = gb.autograd.grad(
        functional.mse_loss(x, gb.zeros(MANY), reduction="sum"), x, create_graph=True
    )
    (curve,) = gb.autograd.grad(slope.sum(), x)
    assert gb.equal(curve, gb.full((MANY,), 2.0))


@pytest.mark.parametrize("shrink", [functional.hardshrink, functional.softshrink])
def test_shrinking_passes_nan_on_and_lets_no_gradient_through_in_between(
    shrink: Callable[..., gb.Tensor],
) -> None:
    x = gb.tensor([-2.0, -0.5, 0.0, 0.5, 0.75, float("nan")], requires_grad=True)
    made = shrink(x)
    assert made[-1].isnan().item()
    assert made[1:4].tolist() == [0.0, 0.0, 0.0]
    made[:-1].sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]

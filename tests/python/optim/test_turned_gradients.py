"""Gradients that a program gave other sizes: steps and passes refuse them, and write nowhere."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import pytest


def of_product(weight: gb.Tensor) -> gb.Tensor:
    return (weight @ gb.ones(40, 50)).sum()


def of_linear(weight: gb.Tensor) -> gb.Tensor:
    return gb.nn.functional.linear(gb.ones(5, 40), weight).sum()


def of_part(weight: gb.Tensor) -> gb.Tensor:
    return weight[3:5].sum()


def of_sum(weight: gb.Tensor) -> gb.Tensor:
    return (weight * 2).sum()


LOSSES = [of_product, of_linear, of_part, of_sum]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("sizes", [(1,), (40, 30), (1200,)])
def test_a_pass_adds_nothing_to_a_gradient_of_other_sizes(
    loss: Callable[[gb.Tensor], gb.Tensor], sizes: tuple[int, ...]
) -> None:
    weight = gb.ones(30, 40, requires_grad=True)
    loss(weight).backward()
    assert weight.grad is not None
    weight.grad.data = gb.zeros(sizes)

    with pytest.raises(gb.ShapeError, match=r"^add: "):
        loss(weight).backward()

    assert weight.grad.shape == sizes
    assert not weight.grad.any()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_pass_adds_to_a_gradient_that_was_turned_back(
    loss: Callable[[gb.Tensor], gb.Tensor],
) -> None:
    weight = gb.ones(30, 40, requires_grad=True)
    loss(weight).backward()
    assert weight.grad is not None
    once = weight.grad.clone()
    weight.grad.t_()
    weight.grad.t_()

    loss(weight).backward()

    assert weight.grad.tolist() == (once * 2).tolist()


@pytest.mark.parametrize("kind", [gb.optim.SGD, gb.optim.Adam, gb.optim.AdamW])
def test_a_step_refuses_a_gradient_that_is_not_as_its_parameter(
    kind: type[gb.optim.Optimizer],
) -> None:
    weight = gb.nn.Parameter(gb.ones(30, 40))
    of_sum(weight).backward()
    optimizer = kind([weight])
    assert weight.grad is not None

    weight.grad.data = gb.ones(1)
    with pytest.raises(gb.ShapeError, match=r": gradient of sizes \[1\] for a parameter of sizes"):
        optimizer.step()
    weight.grad.data = gb.ones(30, 40, dtype=gb.float64)
    with pytest.raises(gb.DTypeError, match=r": gradient of dtype float64 for a parameter of"):
        optimizer.step()

    assert weight.eq(1).all()

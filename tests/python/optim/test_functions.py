"""Steps as functions do what the steps of the optimizers do."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import optim
from garboard.optim.adam import adam
from garboard.optim.adamw import adamw
from garboard.optim.lbfgs import _strong_wolfe
from garboard.optim.sgd import sgd

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

GRADIENTS = ([1.0, -2.0], [0.5, 3.0], [-1.0, 1.0])


def stepped(make) -> list[float]:
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = make([x])
    for gradient in GRADIENTS:
        x.grad = gb.tensor(gradient)
        optimizer.step()
    return x.tolist()


@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("maximize", [False, True])
def test_sgd_is_its_optimizer_s_step(nesterov, maximize):
    options = {"momentum": 0.9, "weight_decay": 0.1, "nesterov": nesterov, "maximize": maximize}
    x, velocities = gb.tensor([1.0, 2.0]), [None]

    for gradient in GRADIENTS:
        sgd([x], [gb.tensor(gradient)], velocities, lr=0.1, dampening=0, **options)

    assert x.tolist() == pytest.approx(stepped(lambda p: optim.SGD(p, lr=0.1, **options)))


@pytest.mark.parametrize("amsgrad", [False, True])
@pytest.mark.parametrize(("step", "kind"), [(adam, optim.Adam), (adamw, optim.AdamW)])
def test_adam_is_its_optimizer_s_step(step, kind, amsgrad):
    options = {"lr": 0.1, "weight_decay": 0.1, "amsgrad": amsgrad, "eps": 1e-8}
    x, count, means = gb.tensor([1.0, 2.0]), gb.tensor(0.0), [[gb.zeros(2)] for _ in range(3)]

    for gradient in GRADIENTS:
        step(
            [x],
            [gb.tensor(gradient)],
            *means,
            [count],
            beta1=0.9,
            beta2=0.999,
            maximize=False,
            **options,
        )

    assert count.item() == len(GRADIENTS)
    assert x.tolist() == pytest.approx(stepped(lambda p: kind(p, **options)))


def test_a_line_search_finds_the_bottom_of_a_parabola():
    start, direction = gb.tensor([3.0]), gb.tensor([-6.0])

    def look(x, far, along):
        at = x + far * along
        return (at * at).sum().item(), 2 * at

    loss, gradient, far, looks = _strong_wolfe(
        look, start, 1.0, direction, 9.0, gb.tensor([6.0]), gb.tensor(-36.0)
    )

    assert (loss, far) == pytest.approx((0.0, 0.5))
    assert gradient.tolist() == [0.0]
    assert looks == 2

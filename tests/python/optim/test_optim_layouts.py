"""Steps of parameters, and state, that do not lie row-major: the numbers are those of what does."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import pytest

LAYOUTS: dict[str, Callable[[gb.Tensor], gb.Tensor]] = {
    "transposed": lambda x: x.t().contiguous().t(),
    "with gaps": lambda x: gb.stack([x, x], -1)[..., 0],
}
OPTIMIZERS: dict[str, Callable[[list[gb.Tensor]], gb.optim.Optimizer]] = {
    "SGD": lambda it: gb.optim.SGD(it, lr=0.1),
    "SGD with momentum": lambda it: gb.optim.SGD(it, lr=0.1, momentum=0.9, weight_decay=0.1),
    "Adam": lambda it: gb.optim.Adam(it, lr=0.1),
    "AdamW": lambda it: gb.optim.AdamW(it, lr=0.1, amsgrad=True),
    "RMSprop": lambda it: gb.optim.RMSprop(it, lr=0.1, momentum=0.5),
    "Adagrad": lambda it: gb.optim.Adagrad(it, lr=0.1),
    "Rprop": lambda it: gb.optim.Rprop(it, lr=0.1),
}


def start() -> gb.Tensor:
    return gb.randn(2, 3, generator=gb.Generator().manual_seed(0))


def step(optimizer: gb.optim.Optimizer, parameter: gb.Tensor, steps: int = 3) -> None:
    for _ in range(steps):
        optimizer.zero_grad()
        (parameter * parameter.cos()).sum().backward()
        optimizer.step()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_parameter_may_lie_in_any_order(name: str, layout: str, no_leaks: None) -> None:
    usual = start().requires_grad_()
    other = LAYOUTS[layout](start()).requires_grad_()
    strides = other.stride()
    for parameter in (usual, other):
        step(OPTIMIZERS[name]([parameter]), parameter)
    assert other.stride() == strides
    gb.testing.assert_close(other, usual)


@pytest.mark.parametrize("name", ["SGD with momentum", "Adam", "RMSprop"])
def test_state_may_be_brought_in_any_order(name: str, no_leaks: None) -> None:
    found = []
    for turned in (False, True):
        parameter = start().requires_grad_()
        optimizer = OPTIMIZERS[name]([parameter])
        step(optimizer, parameter)
        brought = optimizer.state_dict()
        for key, value in brought["state"][0].items():
            if turned and isinstance(value, gb.Tensor) and value.ndim == 2:
                brought["state"][0][key] = value.t().contiguous().t()
        optimizer.load_state_dict(brought)
        step(optimizer, parameter)
        found.append(parameter.detach())
    gb.testing.assert_close(*found)


def test_memory_that_meets_itself_is_refused_before_anything_is_written() -> None:
    plain, spread = gb.ones(2).requires_grad_(), gb.ones(1).expand(3).requires_grad_()
    for optimizer in (gb.optim.SGD([plain, spread], lr=0.1), gb.optim.Adam([plain, spread])):
        optimizer.zero_grad()
        (plain.sum() + spread.sum()).backward()
        with pytest.raises(RuntimeError, match="more than once"):
            optimizer.step()
        assert plain.tolist() == [1.0, 1.0]

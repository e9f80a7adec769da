"""What is a new tensor where NumPy, or a step saved, would give a view."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import pytest

COPIES: dict[str, Callable[[gb.Tensor], gb.Tensor]] = {
    "flip": lambda x: x.flip(0),
    "flip of no dim": lambda x: x.flip(()),
    "fliplr": gb.fliplr,
    "flipud": gb.flipud,
    "a quarter turn": gb.rot90,
    "half a turn": lambda x: gb.rot90(x, 2),
    "a whole turn": lambda x: gb.rot90(x, 4),
    "repeats of one element": lambda x: x[0, 0].repeat_interleave(3),
    "repeats": lambda x: x.repeat_interleave(2, 0),
    "no difference": lambda x: x.diff(n=0),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_shares_no_memory(name: str) -> None:
    x = gb.ones(2, 3)
    made = COPIES[name](x)

    made.add_(1)

    assert x.tolist() == [[1.0] * 3] * 2
    assert made.unique().tolist() == [2.0]


@pytest.mark.parametrize("name", COPIES)
def test_gradients_pass_through_a_copy(name: str, no_leaks: None) -> None:
    x = gb.ones(2, 3, requires_grad=True)
    made = COPIES[name](x * 1)
    made.sum().backward()
    assert x.grad.sum().item() == made.numel()


def test_ravel_is_dense() -> None:
    assert gb.arange(6.0)[::2].ravel().is_contiguous()
    x = gb.zeros(2, 2)
    x.ravel()[0] = 1
    assert x[0, 0].item() == 1


def test_slices_with_steps_below_zero_stay_views() -> None:
    x = gb.arange(3)
    x[::-1].mul_(2)
    assert x.tolist() == [0, 2, 4]

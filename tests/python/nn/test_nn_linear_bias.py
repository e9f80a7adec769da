"""A bias that broadcasts to what a linear function gives."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard.nn import functional


@pytest.mark.parametrize("sizes", [(1,), (1, 4), (2, 4), ()])
def test_is_added_wherever_it_broadcasts(sizes: tuple[int, ...], no_leaks: None) -> None:
    x, weight = gb.ones(2, 3), gb.ones(4, 3)
    bias = gb.full(sizes, 2.0, requires_grad=True)

    made = functional.linear(x, weight, bias)
    made.sum().backward()

    assert made.tolist() == [[5.0] * 4] * 2
    assert bias.grad.sum().item() == 8


@pytest.mark.parametrize("sizes", [(3,), (3, 2, 4), (4, 1)])
def test_is_refused_where_it_does_not(sizes: tuple[int, ...]) -> None:
    with pytest.raises(gb.ShapeError, match="linear: bias of sizes"):
        functional.linear(gb.ones(2, 3), gb.ones(4, 3), gb.ones(sizes))


def test_a_bias_of_none_is_none_at_all():
    layers = gb.nn.Linear(2, 3, bias=None), gb.nn.Conv1d(2, 3, 1, bias=None)

    assert [layer.bias for layer in layers] == [None, None]
    assert [layer.bias for layer in (gb.nn.LayerNorm(2, bias=None),)] == [None]

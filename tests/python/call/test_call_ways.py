"""Functions that can be called in several ways, and how every function reads its arguments."""

from __future__ import annotations

import re

import garboard as gb
import pytest


def table() -> gb.Tensor:
    return gb.tensor([[1, 5], [3, 2]])


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (lambda x: gb.max(x), 5),
        (lambda x: gb.max(x, None), 5),
        (lambda x: x.max(keepdim=True), [[5]]),
        (lambda x: gb.max(x, 1).values, [5, 3]),
        (lambda x: x.max(dim=0, keepdim=True).indices, [[1, 0]]),
        (lambda x: x.max(axis=0).values, [3, 5]),
        (lambda x: gb.max(x, gb.tensor(3)), [[3, 5], [3, 3]]),
        (lambda x: x.min(other=gb.tensor(3)), [[1, 3], [3, 2]]),
        (lambda x: x.to(gb.float64).sum(), 11.0),
        (lambda x: x.to("cpu", gb.float64).sum(), 11.0),
        (lambda x: x.to(device=gb.device("cpu"), dtype=float).sum(), 11.0),
        (lambda x: x.to(other=gb.zeros(1)).sum(), 11.0),
        (lambda x: x.to(), [[1, 5], [3, 2]]),
        (lambda x: gb.arange(3), [0, 1, 2]),
        (lambda x: gb.arange(end=3), [0, 1, 2]),
        (lambda x: gb.arange(1, 3), [1, 2]),
        (lambda x: gb.arange(start=1, end=4, step=2), [1, 3]),
        (lambda x: gb.arange(1, 2, 0.5), [1.0, 1.5]),
        (lambda x: x.split(gb.tensor(1))[1], [[3, 2]]),
        (lambda x: gb.split(x, split_size_or_sections=gb.tensor([1]), dim=1)[1], [[5], [2]]),
        (lambda x: gb.vsplit(x, gb.tensor(2))[1], [[3, 2]]),
        (lambda x: gb.randint(1, (3,)), [0, 0, 0]),
        (lambda x: gb.randint(4, 5, (2,)), [4, 4]),
        (lambda x: gb.randint(low=4, high=5, size=[2]), [4, 4]),
    ],
)
def test_the_arguments_say_which_way_is_meant(call, result):
    assert call(table()).tolist() == result


def test_all_sizes_or_one():
    x = gb.zeros(2, 3)

    assert x.size() == x.size(None) == x.size(dim=None) == (2, 3)
    assert x.size(1) == x.size(dim=-1) == 3
    assert x.stride() == (3, 1)
    assert x.stride(0) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda x: gb.max(x, "a"),
            "max: dim is of type str; a Tensor, an integer or None is needed",
        ),
        (
            lambda x: gb.max(x, dim=1.5),
            "max: dim is of type float; an integer or None is needed",
        ),
        (
            lambda x: gb.max(x, 1, 2, 3),
            "max: 4 positional arguments; at most 3 are taken",
        ),
        (lambda x: gb.max(x, foo=1), "max: no parameter is named 'foo'"),
        (lambda x: gb.max(x, other=x, dim=0), "max: no parameter is named 'other'"),
        (lambda x: gb.max(), "max: 'input' is missing; it is needed"),
        (
            lambda x: gb.max(x, 1, axis=1),
            "max: 'dim' is given twice; 'axis' is another name of it",
        ),
        (
            lambda x: x.to(3.5),
            "to: device is of type float; a Tensor, a dtype, a device or None is needed",
        ),
        (
            lambda x: x.to("cpu", "cpu"),
            "to: dtype is of type str; a dtype such as garboard.float32 is needed",
        ),
        (lambda x: gb.arange("a"), "arange: end is of type str; a number is needed"),
        (lambda x: gb.randint(2.5, (1,)), "randint: high is of type float; an integer is needed"),
    ],
)
def test_what_fits_no_way_is_told_what_is_needed(call, message):
    x = table()
    before = gb.memory.live()

    with pytest.raises(TypeError, match=rf"^{re.escape(message)}$"):
        call(x)

    assert gb.memory.live() == before


def test_a_default_is_what_is_given_when_nothing_is():
    x = gb.tensor([[1.0, 2.0], [3.0, 4.0]])

    assert gb.flatten(x).tolist() == gb.flatten(x, 0, -1).tolist()
    assert x.var().item() == x.var(correction=1).item()
    assert gb.add(x, x).tolist() == gb.add(x, x, alpha=1).tolist()
    with pytest.raises(TypeError, match="flatten: start_dim is of type NoneType; an integer is"):
        gb.flatten(x, None)


def test_the_documentation_tells_every_way():
    assert "Or called as `gb.max(input, other, *, out=None)`." in gb.max.__doc__
    told = "Or called as `x.to(dtype, non_blocking=False, copy=False)` or `x.to(other, non_blocking"
    assert told in " ".join(gb.Tensor.to.__doc__.split())
    assert "    other: Tensor to compare with" in gb.max.__doc__
    assert "Or called" not in gb.Tensor.size.__doc__

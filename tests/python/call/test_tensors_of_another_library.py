"""What tensors of another library are told, by a class with PyTorch's names and protocol."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest


class Tensor:
    """Whose protocol makes the same call again, as that of PyTorch's does."""

    __module__ = "torch"
    ndim = 1

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))

    def __dlpack__(self, **_named: Any) -> Any:
        raise BufferError("nothing to take")

    def __index__(self) -> int:
        raise TypeError("only one element can be an index")

    def __float__(self) -> float:
        raise TypeError("only one element can be a number")


class Number(Tensor):
    ndim = 0

    def item(self) -> float:
        return 2.5


@pytest.mark.parametrize(
    "call",
    [
        lambda it: gb.tensor(it),
        lambda it: gb.as_tensor([1.0, it]),
        lambda it: gb.exp(it),
        lambda it: gb.add(gb.ones(2), it),
        lambda it: gb.nn.functional.linear(it, gb.ones(2, 2)),
    ],
)
def test_they_are_refused_with_the_way_to_one_of_ours(call: Any) -> None:
    with pytest.raises((TypeError, gb.DTypeError), match="from_dlpack"):
        call(Tensor())


def test_operators_leave_it_to_python() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        gb.ones(2) + Tensor()


def test_one_without_dims_is_its_number() -> None:
    assert (gb.ones(2) * Number()).tolist() == [2.5, 2.5]


def test_a_call_of_theirs_is_not_made_for_them() -> None:
    x = gb.ones(2)

    answer = gb.Tensor.__torch_function__(gb.add, (gb.Tensor,), (Tensor(), x))

    assert answer is NotImplemented

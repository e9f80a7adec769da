"""A hook of several tensors: when it is called, with what, and what it leaves."""

from __future__ import annotations

import gc
import pickle

import garboard as gb
import pytest
from garboard.autograd.graph import register_multi_grad_hook

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def leaf(*values: float) -> gb.Tensor:
    return gb.tensor(list(values), dtype=gb.float64, requires_grad=True)


def numbers(gradients: list[gb.Tensor | None]) -> list[list[float] | None]:
    return [None if it is None else it.tolist() for it in gradients]


def test_is_called_once_a_pass_with_all_gradients():
    x, y, seen = leaf(1), leaf(2), []
    z = x * y
    register_multi_grad_hook([x, z, y], lambda gradients: seen.append(numbers(gradients)))

    for _ in range(2):
        (z * 3 + x).sum().backward(retain_graph=True)

    assert seen == [[[7], [3], [3]]] * 2


def test_does_not_wait_for_what_a_pass_does_not_reach():
    x, y, z, seen = leaf(1), leaf(2), leaf(3), []
    w = x * y
    register_multi_grad_hook([x, y, z, w], lambda gradients: seen.append(numbers(gradients)))

    (x * 5).sum().backward()
    gb.autograd.grad(w.sum(), y, retain_graph=True)
    w.sum().backward()

    assert seen == [
        [[5], None, None, None],
        [None, [1], None, [1]],
        [[2], [1], None, [1]],
    ]


def test_of_the_first_gradient_is_called_with_that_alone():
    x, y, seen = leaf(1), leaf(2), []
    z = x * y
    register_multi_grad_hook([x, z], lambda gradient: seen.append(gradient.tolist()), mode="any")

    (z * 3).sum().backward(retain_graph=True)
    (x * 4).sum().backward()

    assert seen == [[3], [4]]


def test_of_a_pass_within_a_pass_keeps_the_two_apart():
    x, y, seen = leaf(1), leaf(2), []
    register_multi_grad_hook([x, y], lambda gradients: seen.append(numbers(gradients)))
    middle = x * 1

    @gb.enable_grad()
    def inner(gradient: gb.Tensor) -> None:
        (x * 10 + y * 20).sum().backward()

    middle.register_hook(inner)

    (middle + y).sum().backward()

    assert sorted(seen) == [[[1], [1]], [[10], [20]]]


def test_that_raises_ends_the_pass_and_leaves_nothing():
    x, y = leaf(1), leaf(2)
    register_multi_grad_hook([x, y], lambda gradients: 1 / 0)
    late = (x * y).register_hook(lambda gradient: None)

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            (x * y).sum().backward()
    late.remove()


def test_of_a_pass_that_fails_keeps_no_gradients():
    x, y, seen = leaf(1), leaf(2), []
    register_multi_grad_hook([x, y], seen.append)

    def fail(gradient: gb.Tensor) -> None:
        raise ValueError("enough")

    z = x * 1
    z.register_hook(fail)
    live = gb.memory.live().storages

    for _ in range(3):
        with pytest.raises(ValueError, match="enough"):
            (y * 1 + z).sum().backward(retain_graph=True)
        y.grad = None

    assert seen == []
    assert gb.memory.live().storages == live


def test_is_taken_off_of_all_tensors():
    x, y, seen = leaf(1), leaf(2), []
    with register_multi_grad_hook([x, y], seen.append):
        pass
    handle = register_multi_grad_hook([x, y], seen.append)
    handle.remove()
    handle.remove()

    (x * y).sum().backward()

    assert seen == []


def test_goes_with_its_tensors():
    x, y = leaf(1), leaf(2)
    z = x * y
    handle = register_multi_grad_hook([x, y, z], lambda gradients, kept=(x, z): None)
    live = gb.memory.live().storages

    del x, y, z
    gc.collect()

    assert gb.memory.live().storages == live - 3
    handle.remove()


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"tensors": "no grad"}, gb.GradientError, "does not require grad"),
        ({"tensors": 3}, TypeError, "not iterable"),
        ({"tensors": [None]}, TypeError, "register_multi_grad_hook: .*a Tensor is needed"),
        ({"fn": 3}, TypeError, "register_multi_grad_hook: .*a function is needed"),
        ({"mode": "some"}, ValueError, "register_multi_grad_hook: mode"),
    ],
    ids=str,
)
def test_refuses(given, error, said):
    x = leaf(1)
    arguments = {"tensors": [x], "fn": print, "mode": "all"} | given
    if arguments["tensors"] == "no grad":
        arguments["tensors"] = [x.detach()]

    with pytest.raises(error, match=said):
        register_multi_grad_hook(arguments["tensors"], arguments["fn"], mode=arguments["mode"])

    (x * 2).sum().backward()


def test_that_a_later_tensor_refuses_is_on_no_other():
    x, seen = leaf(1), []

    with pytest.raises(gb.GradientError):
        register_multi_grad_hook([x, gb.zeros(1)], seen.append)
    (x * 2).sum().backward()

    assert seen == []


def test_its_handle_is_not_pickled():
    handle = register_multi_grad_hook([leaf(1)], print)

    with pytest.raises(TypeError, match="register_multi_grad_hook: its handle cannot be pickled"):
        pickle.dumps(handle)

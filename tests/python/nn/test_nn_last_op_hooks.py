"""Hooks of `register_backward_hook`: they see what leaves the op that made a module's result."""

from __future__ import annotations

import copy
from typing import Any

import garboard as gb
import pytest
from garboard import nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def sizes_of(gradients: tuple[Any, ...]) -> list[Any]:
    return [None if it is None else list(it.shape) for it in gradients]


def test_they_see_gradients_of_the_input_and_of_weights():
    layer, seen = nn.Conv2d(1, 2, 1), []
    layer.register_backward_hook(
        lambda module, given, got: seen.append((module, sizes_of(given), sizes_of(got)))
    )

    layer(gb.ones(1, 1, 3, 3, requires_grad=True)).sum().backward()

    assert seen == [(layer, [[1, 1, 3, 3], [2, 1, 1, 1], [2]], [[1, 2, 3, 3]])]


def test_what_they_return_replaces_the_gradient_of_a_relu_that_works_in_place():
    layer = nn.ReLU(inplace=True)  # as guided backpropagation does
    layer.register_backward_hook(lambda module, given, got: (given[0].clamp(min=0),))
    x = gb.tensor([1.0, -1.0, 2.0], requires_grad=True)

    layer(x * 1).backward(gb.tensor([3.0, 4.0, -5.0]))

    assert x.grad.tolist() == [3, 0, 0]


def test_results_may_be_written_in_place():
    layer, calls = nn.Linear(2, 2), []
    layer.register_backward_hook(lambda *given: calls.append(given[0]))
    x = gb.ones(1, 2, requires_grad=True)

    y = layer(x)
    y *= 2
    y.sum().backward()

    assert calls == [layer]
    assert gb.allclose(x.grad, 2 * layer.weight.sum(0, keepdim=True))


@pytest.mark.parametrize(
    "result",
    [lambda y: (y, y * 2), lambda y: {"n": 1, "y": y}, lambda y: [None, [y]]],
)
def test_of_several_results_the_first_tensor_counts(result):
    class Several(nn.Module):
        def forward(self, x: gb.Tensor) -> Any:
            self.y = x.exp()
            return result(self.y)

    module, calls = Several(), []
    module.register_backward_hook(lambda *given: calls.append(len(given)))

    module(gb.ones(1, requires_grad=True))
    module.y.backward()
    del module.y

    assert calls == [3]


def test_nothing_is_called_where_nothing_is_recorded():
    module, calls = nn.Identity(), []
    module.register_backward_hook(lambda *given: calls.append(given))

    assert module(3) == 3
    with gb.no_grad():
        module(gb.ones(1, requires_grad=True) * 1)
    module(gb.ones(1))
    module(gb.ones(1, requires_grad=True)).backward()
    assert calls == []


def test_hooks_of_both_kinds_are_refused():
    old, full = nn.ReLU(), nn.ReLU()
    assert old._is_full_backward_hook is None

    old.register_backward_hook(print).remove()
    full.register_full_backward_hook(print)

    assert (old._is_full_backward_hook, full._is_full_backward_hook) == (False, True)
    assert copy.deepcopy(old)._is_full_backward_hook is False
    with pytest.raises(RuntimeError, match=r"^register_full_backward_hook: ReLU has"):
        old.register_full_backward_hook(print)
    with pytest.raises(RuntimeError, match=r"^register_backward_hook: ReLU has"):
        full.register_backward_hook(print)


def test_a_removed_hook_is_called_no_more():
    layer, calls = nn.Tanh(), []
    handle = layer.register_backward_hook(lambda *given: calls.append(1))
    x = gb.zeros(1, requires_grad=True)
    layer(x).backward()

    handle.remove()
    layer(x).backward()

    assert calls == [1]

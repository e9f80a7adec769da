"""What a `Function` remembers in its context is found on the node of its call, as in PyTorch."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard.leaks import no_leaks


class Scale(gb.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: gb.Tensor, factor: float) -> gb.Tensor:
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx: Any, gradient: gb.Tensor) -> tuple[gb.Tensor, None]:
        return gradient * ctx.factor, None


class TestTheNodeOfAFunction:
    def test_has_what_forward_set_on_its_context(self):
        y = Scale.apply(gb.ones(2, requires_grad=True), 3.0)

        assert y.grad_fn.factor == 3.0
        assert y.grad_fn.needs_input_grad == (True, False)

    def test_has_what_forward_saved(self):
        x = gb.tensor([1.0, 2.0], requires_grad=True)

        (saved,) = Scale.apply(x, 3.0).grad_fn.saved_tensors

        assert saved.tolist() == [1, 2]

    def test_says_what_it_has_not(self):
        y = Scale.apply(gb.ones(2, requires_grad=True), 3.0)

        with pytest.raises(AttributeError, match="no attribute 'options'"):
            _ = y.grad_fn.options

    def test_has_it_no_more_once_a_backward_pass_has_freed_it(self):
        y = Scale.apply(gb.ones(2, requires_grad=True), 3.0)
        y.sum().backward()

        with pytest.raises(AttributeError, match="retain_graph=True"):
            _ = y.grad_fn.factor

    def test_leaves_nothing_alive_when_it_was_read(self):
        x = gb.ones(2, requires_grad=True)

        with no_leaks():
            len(Scale.apply(x, 3.0).grad_fn.saved_tensors)


def test_a_node_of_an_op_has_no_attributes_of_ones_own():
    y = gb.ones(2, requires_grad=True) * 2

    assert not hasattr(y.grad_fn, "factor")
    with pytest.raises(AttributeError, match="node of mul has no attribute 'factor'"):
        _ = y.grad_fn.factor

"""Outputs that the forward of a `Function` sets as attributes of its context."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest

pytestmark = pytest.mark.no_leaks


class Exp(gb.autograd.Function):
    """e^x, whose backward reads the output from an attribute."""

    @staticmethod
    def forward(ctx: Any, x: gb.Tensor) -> gb.Tensor:
        ctx.y = x.exp()
        return ctx.y

    @staticmethod
    def backward(ctx: Any, gradient: gb.Tensor) -> gb.Tensor:
        return gradient * ctx.y


def leaf() -> gb.Tensor:
    return gb.tensor([0.5, -1.0], dtype=gb.float64, requires_grad=True)


def test_have_a_history_in_a_backward_that_is_differentiated():
    x = leaf()

    assert gb.autograd.gradcheck(Exp.apply, (x,))
    assert gb.autograd.gradgradcheck(Exp.apply, (x,))
    for _ in range(2):
        y = Exp.apply(x)
        (first,) = gb.autograd.grad(y.sum(), x, create_graph=True)
        (second,) = gb.autograd.grad(first.sum(), x)
        assert gb.allclose(second, x.exp())


def test_hold_no_graph_and_no_memory_of_their_own():
    x = leaf()

    y = Exp.apply(x)
    kept = gb.memory.live().bytes
    y.sum().backward()

    assert gb.equal(x.grad, x.exp())
    assert kept == 32  # x and y


def test_that_were_written_since_are_read_as_they_are_and_not_differentiated():
    x = leaf()
    y = Exp.apply(x)
    with gb.no_grad():
        y.mul_(2)

    (found,) = gb.autograd.grad(y.sum(), x, retain_graph=True)

    assert gb.allclose(found, 2 * x.exp())
    with pytest.raises(gb.VersionError):
        gb.autograd.grad(y.sum(), x, create_graph=True)


def test_may_be_differentiated_in_a_backward_of_once():
    class Root(gb.autograd.Function):
        """The square root, by the equation it solves."""

        @staticmethod
        def forward(ctx: Any, x: gb.Tensor) -> gb.Tensor:
            ctx.y = x.sqrt()
            return ctx.y

        @staticmethod
        def backward(ctx: Any, gradient: gb.Tensor) -> gb.Tensor:
            with gb.enable_grad():
                y = ctx.y
                equation = (y**2).sum()
            (slope,) = gb.autograd.grad(equation, y)
            return gradient / slope

    x = gb.tensor([4.0, 9.0], requires_grad=True)

    Root.apply(x).sum().backward()

    assert gb.allclose(x.grad, gb.tensor([1 / 4, 1 / 6]))


def test_are_written_in_place_as_other_outputs_and_views_of_them():
    x = leaf()
    y = Exp.apply(x)
    part = y[0]
    part *= 3
    y.add_(1)

    (found,) = gb.autograd.grad((y * gb.tensor([1.0, 2.0], dtype=gb.float64)).sum(), x)

    # as in PyTorch, backward reads what the attribute is by now
    assert gb.allclose(found, gb.tensor([3.0, 2.0], dtype=gb.float64) * y)


def test_that_are_views_of_arguments_stay_what_they_are():
    class Turned(gb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: gb.Tensor) -> gb.Tensor:
            ctx.y = x.view(2, 1)
            return ctx.y

        @staticmethod
        def backward(ctx: Any, gradient: gb.Tensor) -> gb.Tensor:
            return gradient.view(ctx.y.numel())

    x = leaf()

    assert gb.autograd.gradcheck(Turned.apply, (x,))
    assert gb.autograd.gradgradcheck(Turned.apply, (x,))


def test_are_found_on_the_node_of_the_call():
    class Noted(Exp):
        @staticmethod
        def forward(ctx: Any, x: gb.Tensor) -> gb.Tensor:
            ctx.note = "a note"
            return Exp.forward(ctx, x)

    y = Noted.apply(leaf())

    assert y.grad_fn.note == "a note"
    assert gb.equal(y.grad_fn.y, y)
    assert not hasattr(y.grad_fn, "z")


def test_are_deleted_and_replaced_as_other_attributes():
    class Forgets(Exp):
        @staticmethod
        def backward(ctx: Any, gradient: gb.Tensor) -> gb.Tensor:
            y = ctx.y
            del ctx.y
            assert not hasattr(ctx, "y")
            ctx.y = 3
            assert ctx.y == 3
            with pytest.raises(AttributeError):
                del ctx.z
            assert ctx.saved_tensors == ()
            return gradient * y

    x = leaf()

    Forgets.apply(x).sum().backward()

    assert gb.allclose(x.grad, x.exp())


def test_stand_beside_what_is_saved():
    class Both(gb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: gb.Tensor) -> tuple[gb.Tensor, gb.Tensor]:
            ctx.save_for_backward(x)
            ctx.s, ctx.x = x.sin(), x
            ctx.c = x.cos()
            return ctx.s, ctx.c

        @staticmethod
        def backward(ctx: Any, of_sine: gb.Tensor, of_cosine: gb.Tensor) -> gb.Tensor:
            (x,) = ctx.saved_tensors
            assert gb.equal(x, ctx.x)
            return of_sine * ctx.c - of_cosine * ctx.s

    x = leaf()

    assert gb.autograd.gradgradcheck(Both.apply, (x,))


def test_that_cannot_be_differentiated_twice_are_refused_then():
    class Once(Exp):
        @staticmethod
        @gb.autograd.function.once_differentiable
        def backward(ctx: Any, gradient: gb.Tensor) -> gb.Tensor:
            return gradient * ctx.y

    x = leaf()
    (first,) = gb.autograd.grad(Once.apply(x).sum(), x, create_graph=True)

    with pytest.raises(gb.GradientError, match="once_differentiable"):
        first.sum().backward()


def test_a_gradient_for_a_tensor_without_grad_may_have_any_sizes():
    class Weighted(gb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: gb.Tensor, times: gb.Tensor) -> gb.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: gb.Tensor) -> tuple[gb.Tensor, gb.Tensor, None]:
            return gradient * 2, gb.ones(7), None

    x = leaf()

    Weighted.apply(x, gb.ones(3)).sum().backward()

    assert x.grad.tolist() == [2, 2]
    with pytest.raises(gb.ShapeError, match="gradient 1 has sizes"):
        Weighted.apply(x, gb.ones(3, requires_grad=True)).sum().backward()

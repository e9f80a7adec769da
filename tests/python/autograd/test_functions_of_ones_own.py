"""`autograd.Function`: ops that users write, forward and backward."""

from __future__ import annotations

import gc
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.autograd import Function
from garboard.autograd.function import once_differentiable


def leaf(*values: float) -> gb.Tensor:
    return gb.tensor(list(values), dtype=gb.float64, requires_grad=True)


class Power(Function):
    """x ** k, its backward made of ops."""

    @staticmethod
    def forward(ctx: Any, x: gb.Tensor, k: int) -> gb.Tensor:
        ctx.save_for_backward(x)
        ctx.k = k
        return x**k

    @staticmethod
    def backward(ctx: Any, gradient: gb.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return ctx.k * x ** (ctx.k - 1) * gradient, None


class Exp(Function):
    """e ** x, which keeps its output."""

    @staticmethod
    def forward(ctx: Any, x: gb.Tensor) -> gb.Tensor:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: gb.Tensor) -> gb.Tensor:
        return gradient * ctx.saved_tensors[0]


class Both(Function):
    """x * y and x + y; keeps an output too."""

    @staticmethod
    def forward(x: gb.Tensor, y: gb.Tensor, scale: float = 1.0) -> Any:
        return x * y * scale, x + y, "no tensor"

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, y, ctx.scale = inputs
        ctx.save_for_backward(x, None, y, output[0])

    @staticmethod
    def backward(ctx: Any, of_product: Any, of_sum: Any, of_text: Any) -> Any:
        x, nothing, y, product = ctx.saved_tensors
        assert nothing is None
        assert of_text is None
        assert product.shape == x.shape
        return of_product * y * ctx.scale + of_sum, of_product * x * ctx.scale + of_sum, None


def of(backward: Any, forward: Any = lambda ctx, *args: args[0] * 1) -> type[Function]:
    """Return an op that returns its first argument anew."""
    return type(
        "Op", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    )


class TestGradients:
    def test_of_one_output_are_what_backward_says(self):
        x = leaf(1, 2)

        y = Power.apply(x * 1, 3)
        y.sum().backward()

        assert y.grad_fn.name() == "Power"
        assert x.grad.tolist() == [3, 12]

    @pytest.mark.parametrize(("used", "gradient"), [((0,), 6), ((1,), 1), ((0, 1), 7)])
    def test_of_two_outputs_meet(self, used, gradient):
        x, y = leaf(2), leaf(3)

        outputs = Both.apply(x, y, 2.0)
        sum(outputs[i] for i in used).sum().backward()

        assert outputs[2] == "no tensor"
        assert x.grad.item() == gradient

    def test_are_asked_for_at_an_output_of_several(self):
        x, y = leaf(2), leaf(3)
        product, total, _ = Both.apply(x, y)

        gradients = gb.autograd.grad((product * total).sum(), [product, total, x])

        assert [it.item() for it in gradients] == [5, 6, 21]

    @pytest.mark.parametrize(
        "op", [lambda x: Power.apply(x, 3), Exp.apply], ids=["input", "output"]
    )
    def test_are_differentiated_again(self, op):
        x = leaf(2)
        (first,) = gb.autograd.grad(op(x).sum(), x, create_graph=True)

        (second,) = gb.autograd.grad(first.sum(), x)

        wanted = x.exp().item() if op == Exp.apply else 12
        assert second.item() == pytest.approx(wanted)

    def test_of_a_kept_output_among_several_are_differentiated_again(self):
        x, y = leaf(2), leaf(3)

        class Products(Function):
            @staticmethod
            def forward(ctx, x, y):
                xy, xxy = x * y, x * x * y
                ctx.save_for_backward(x, y, xy)
                return xy, xxy

            @staticmethod
            def backward(ctx, a, b):
                x, y, xy = ctx.saved_tensors
                return a * y + b * 2 * xy, a * x + b * x * x

        xxy = Products.apply(x, y)[1]
        (first,) = gb.autograd.grad(xxy.sum(), x, create_graph=True)
        (second,) = gb.autograd.grad(first.sum(), x)

        assert (first.item(), second.item()) == (12, 6)

    def test_are_broadcast_back_and_converted(self):
        x = gb.ones(2, requires_grad=True)
        widened = of(lambda ctx, g: gb.ones(3, 2, dtype=gb.float64))

        widened.apply(x).sum().backward()

        assert x.grad.tolist() == [3, 3]
        assert x.grad.dtype is gb.float32

    def test_missing_ones_are_zeros_or_none(self):
        x, seen = leaf(1), []

        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 1, x * 2

        op = of(lambda ctx, a, b: (*(seen.append(b), a)[1:], None), forward)
        op.apply(x, True)[0].sum().backward()
        op.apply(x, False)[0].sum().backward()

        assert seen[0].tolist() == [0]
        assert seen[1] is None

    def test_know_which_inputs_need_one(self):
        seen = []
        op = of(
            lambda ctx, g: (seen.append(ctx.needs_input_grad), g, g, None)[1:],
        )

        op.apply(leaf(1), gb.ones(1), 3).sum().backward()

        assert seen == [(True, False, False)]

    def test_pass_hooks_of_each_output(self):
        x, seen = leaf(2), []
        product, total, _ = Both.apply(x, leaf(3))
        product.register_hook(lambda g: seen.append(g.item()))
        total.register_hook(lambda g: g * 10)

        (product * 2 + total).sum().backward()

        assert seen == [2]
        assert x.grad.item() == 16

    def test_of_a_pass_that_failed_do_not_linger(self):
        x, y = leaf(2), leaf(3)
        product, total, _ = Both.apply(x, y)
        handle = total.register_hook(lambda g: 1 / 0)

        with pytest.raises(ZeroDivisionError):
            (product + total).sum().backward(retain_graph=True)
        handle.remove()
        (product * 10).sum().backward()

        assert x.grad.item() == 30

    def test_unrecorded_calls_keep_nothing(self):
        x = leaf(1)
        before = gb.memory.live()

        with gb.no_grad():
            y = Power.apply(x, 2)
        z = Power.apply(gb.ones(1), 2)

        assert not y.requires_grad
        assert z.grad_fn is None
        del y, z
        assert gb.memory.live() == before


class TestOutputs:
    def test_that_are_arguments_become_handles_of_their_own(self):
        x = leaf(1, 2)
        op = of(lambda ctx, g: g * 5)
        same = of(lambda ctx, g: g * 5, lambda ctx, x: x)

        y = same.apply(x)
        y.sum().backward()

        assert op
        assert y is not x
        assert y.data_ptr() == x.data_ptr()
        assert x.is_leaf
        assert x.grad.tolist() == [5, 5]
        with pytest.raises(gb.GradientError, match="custom Function that shares its memory"):
            same.apply(x).add_(1)

    def test_that_are_constants_stay_constants(self):
        constant = gb.ones(1, dtype=gb.float64)
        op = of(lambda ctx, g: g, lambda ctx, x: constant)

        y = op.apply(leaf(1))

        assert y.requires_grad
        assert not constant.requires_grad

    def test_marked_or_of_integers_have_no_gradient(self):
        def forward(ctx, x):
            whole, count = x.trunc(), (x > 0).sum()
            ctx.mark_non_differentiable(whole)
            return whole, count, x * 2

        op = of(lambda ctx, a, b, c: c * 2, forward)
        whole, count, rest = op.apply(x := leaf(1.5))
        rest.sum().backward()

        assert [it.requires_grad for it in (whole, count, rest)] == [False, False, True]
        assert x.grad.item() == 2

    def test_marked_dirty_are_the_arguments_themselves(self):
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(3)
            ctx.save_for_backward(x)
            return x

        op = of(lambda ctx, g: g * 3 + 0 * ctx.saved_tensors[0], forward)
        x = leaf(2)
        y = x * 1

        z = op.apply(y)
        (z * z).sum().backward()

        assert z is y
        assert y.grad_fn.name() == "Op"
        assert x.grad.item() == 36


class TestWrong:
    @pytest.mark.parametrize(
        ("backward", "error", "text"),
        [
            (lambda ctx, g: (), gb.GradientError, r"0 gradients; 2 are needed"),
            (lambda ctx, g: g, gb.GradientError, r"1 gradients; 2 are needed"),
            (lambda ctx, g: (g, None, g), gb.GradientError, r"3 gradients; 2 are needed"),
            (lambda ctx, g: (g, g), gb.GradientError, "argument 1 of forward was none"),
            (lambda ctx, g: (3, None), TypeError, "gradient 0 is of type int"),
            (lambda ctx, g: ([g], None), TypeError, "gradient 0 is of type list"),
            (
                lambda ctx, g: (g[:1], None),
                gb.ShapeError,
                r"has sizes \(1,\)|\[1\] for an argument",
            ),
            (lambda ctx, g: (1 / 0, None), ZeroDivisionError, "division"),
        ],
    )
    def test_gradients_are_told_and_leave_nothing(self, backward, error, text):
        x = leaf(1, 2)
        gc.collect()
        before = gb.memory.live()

        with pytest.raises(error, match=text) as caught:
            of(backward).apply(x * 2, 3).sum().backward()

        assert x.grad is None
        del caught
        gc.collect()
        assert gb.memory.live() == before

    def test_disposed_gradients_are_refused(self):
        def backward(ctx, g):
            with gb.dispose_scope():
                return g * 2

        with pytest.raises(gb.DisposedError, match=r"Op.backward: gradient 0 is a disposed"):
            of(backward).apply(leaf(1)).sum().backward()

    @pytest.mark.parametrize(
        ("forward", "error", "text"),
        [
            (lambda ctx, x: (ctx.mark_dirty(x), x.mul_(2))[1:], gb.GradientError, "leaf"),
            (lambda ctx, x: (ctx.mark_dirty(x * 1), x * 1)[1], gb.GradientError, "no argument"),
            (lambda ctx, x: (ctx.mark_dirty(x), x * 1)[1], gb.GradientError, "not returned"),
            (lambda ctx, x: ctx.save_for_backward(x, 3), TypeError, "argument 1 is of type int"),
            (lambda ctx, x: ctx.mark_dirty(None), TypeError, "argument 0 is of type NoneType"),
            (lambda ctx, x: ctx.set_materialize_grads("no"), TypeError, "True or False"),
        ],
    )
    def test_forwards_are_told(self, forward, error, text):
        with pytest.raises(error, match=text):
            of(lambda ctx, g: g, forward).apply(leaf(1, 2))

    def test_views_cannot_be_marked_dirty(self):
        op = of(lambda ctx, g: g, lambda ctx, x: (ctx.mark_dirty(x), x.mul_(2))[1])

        with pytest.raises(gb.GradientError, match=r"mark_dirty\(\) of a view"):
            op.apply((leaf(1, 2) * 1)[:1])

    def test_classes_are_told(self):
        empty = type("Empty", (Function,), {})
        no_backward = type("Half", (Function,), {"forward": staticmethod(lambda ctx, x: x * 2)})

        with pytest.raises(TypeError, match=r"Power: an instance .* Power.apply"):
            Power()
        with pytest.raises(NotImplementedError, match=r"Empty.forward"):
            empty.apply(1)
        with pytest.raises(NotImplementedError, match=r"Half.backward: none was written"):
            no_backward.apply(leaf(1)).sum().backward()
        with pytest.raises(TypeError, match=r"Power\.apply: tensors that require grad by name"):
            Power.apply(leaf(1), k=leaf(2))
        assert Both.apply(leaf(1), y=leaf(2))[0].item() == 2

    @pytest.mark.parametrize("rest", [(), (None,)])
    def test_what_is_given_by_name_takes_no_part(self, rest):
        class Scale(Function):
            @staticmethod
            def forward(ctx: Any, x: gb.Tensor, by: int = 1) -> gb.Tensor:
                ctx.by = by
                return x * by

            @staticmethod
            def backward(ctx: Any, gradient: gb.Tensor) -> Any:
                return (gradient * ctx.by, *rest)

        x = leaf(1, 2)

        Scale.apply(x, by=3).sum().backward()

        assert x.grad.tolist() == [3, 3]

    def test_writes_into_what_was_saved_are_refused(self):
        x = leaf(1)
        kept = x * 1
        y = Power.apply(kept, 2)
        kept.add_(1)

        with pytest.raises(gb.VersionError, match=r"Power: the saved tensor of sizes"):
            y.sum().backward()

    def test_a_second_pass_is_refused(self):
        x, kept = leaf(1), []
        op = of(
            lambda ctx, g: (kept.append(ctx), g)[1],
            lambda ctx, x: (ctx.save_for_backward(x), x * 1)[1],
        )
        y = op.apply(x)
        y.sum().backward(retain_graph=True)
        y.sum().backward()

        assert x.grad.item() == 2
        with pytest.raises(gb.GradientError, match="freed by an earlier"):
            y.sum().backward()
        with pytest.raises(gb.GradientError, match="saved_tensors were freed"):
            _ = kept[0].saved_tensors

    def test_second_derivatives_are_refused_where_marked(self):
        x = leaf(2)

        class Op(Power):
            backward = staticmethod(once_differentiable(Power.backward))

        (first,) = gb.autograd.grad(Op.apply(x, 2).sum(), x, create_graph=True)
        assert first.item() == 4
        with pytest.raises(gb.GradientError, match=r"Op.backward: it is differentiated"):
            gb.autograd.grad(first.sum(), x)


class TestLifetime:
    def test_a_gradient_with_a_history_leaves_it_behind(self):
        class Planned(gb.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                with gb.enable_grad():
                    ctx.planned = x.detach().requires_grad_() ** 2
                return x.clone()

            @staticmethod
            def backward(ctx, gradient):
                planned, ctx.planned = ctx.planned, None
                return planned

        x = gb.tensor([3.0], requires_grad=True)

        Planned.apply(x).sum().backward()
        Planned.apply(x).sum().backward()

        assert x.grad.tolist() == [18]
        assert not x.grad.requires_grad

    def test_what_ctx_holds_ends_with_the_pass(self):
        x = leaf(1)
        op = of(
            lambda ctx, g: g,
            lambda ctx, x: (setattr(ctx, "held", gb.ones(1000)), x * 1)[1],
        )
        y = op.apply(x)
        before = gb.memory.live().bytes

        y.sum().backward()

        assert gb.memory.live().bytes == before - 4000 + 8  # the gradient came
        assert y.grad_fn.is_released

    @pytest.mark.parametrize("kept", ["attribute", "output", "loss"])
    def test_cycles_through_ctx_are_collected(self, kept):
        gc.collect()
        before = gb.memory.live()

        class Cycle(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.self = ctx
                ctx.x = x
                contexts.append(ctx)
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return g * 2

        contexts: list[Any] = []
        x = gb.ones(3, requires_grad=True)
        y = Cycle.apply(x * 1)
        if kept == "output":
            contexts[0].y = y
        if kept == "loss":
            contexts[0].loss = (y * y).sum()
        del x, y
        contexts.clear()
        for _ in range(2):
            gc.collect()

        assert gb.memory.live() == before

    def test_a_context_that_the_graph_holds_is_not_collected(self):
        x = leaf(3)
        op = of(
            lambda ctx, g: g * ctx.held["tensor"],
            lambda ctx, x: (setattr(ctx, "held", {"tensor": x}), x * 1)[1],
        )
        loss = op.apply(x * 1).sum()
        op.apply(x)
        for _ in range(2):
            gc.collect()

        loss.backward()

        assert x.grad.item() == 3

    def test_leaves_nothing_behind_in_a_scope(self):
        x = leaf(1, 2)
        before = gb.memory.live()

        with gb.dispose_scope():
            loss = (Power.apply(x * 1, 2) * Exp.apply(x)).sum()
            gb.autograd.grad(loss, x)

        assert gb.memory.live() == before

    def test_what_ctx_holds_is_named_to_who_asks(self):
        def forward(ctx: Any, x: gb.Tensor) -> gb.Tensor:
            ctx.held = gb.ones(1000)
            return x * 1

        y = of(lambda ctx, g: g, forward).apply(leaf(1))
        (held,) = [it["tensor"] for it in gb._engine._aliases(0) if it["nbytes"] == 4000]

        chain = str(gb.leaks.who_holds(held))

        assert y.requires_grad
        assert "ctx of Op" in chain


class Sorted(gb.autograd.Function):
    """NumPy's sort; its second result says where each element came from."""

    @staticmethod
    def forward(x):
        places = np.argsort(x.numpy())
        return gb.from_numpy(x.numpy()[places]), gb.from_numpy(places)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1])

    @staticmethod
    def backward(ctx, gradient, _):
        return gb.zeros_like(gradient).scatter(0, ctx.saved_tensors[0], gradient)


class TestInATransform:
    def test_forward_is_given_values_that_numpy_takes(self, no_leaks):
        x = gb.tensor([3.0, 1.0, 2.0])
        weights = gb.tensor([1.0, 10.0, 100.0])

        found = gb.func.grad(lambda x: (Sorted.apply(x)[0] ** 2 * weights).sum())(x)

        assert found.tolist() == [600.0, 2.0, 40.0]
        values, _ = Sorted.apply(x.requires_grad_())  # forward records nothing
        assert values.tolist() == [1.0, 2.0, 3.0]

    def test_an_argument_that_is_returned_or_written_is_still_itself(self):
        class Same(gb.autograd.Function):
            @staticmethod
            def forward(x):
                return x, x * 2

            @staticmethod
            def setup_context(ctx, inputs, output):
                assert output[0] is inputs[0]

            @staticmethod
            def backward(ctx, of_same, of_double):
                return of_same + 2 * of_double

        def func(x):
            same, double = Same.apply(x)
            return (same**2 + double**2).sum()

        assert gb.func.grad(func)(gb.tensor([1.0, 3.0])).tolist() == [10.0, 30.0]


@pytest.mark.parametrize("create_graph", [False, True])
def test_an_output_that_is_saved_has_its_history_in_backward(create_graph):
    class Root(gb.autograd.Function):
        """The root y of y^3 = x, by Newton's way, whose backward asks the equation itself."""

        @staticmethod
        def forward(ctx, x):
            y = gb.ones_like(x)
            for _ in range(40):
                y = y - (y**3 - x) / (3 * y**2)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, gradient):
            (y,) = ctx.saved_tensors
            assert y.requires_grad
            assert not y.is_leaf
            with gb.enable_grad():
                equation = (y**3).sum()
            (slope,) = gb.autograd.grad(equation, y, create_graph=gb.is_grad_enabled())
            return gradient / slope

    x = gb.tensor([8.0, 27.0], dtype=gb.float64, requires_grad=True)

    (found,) = gb.autograd.grad(Root.apply(x).sum(), x, create_graph=create_graph)

    assert found.requires_grad == create_graph
    assert gb.allclose(found, x ** (-2 / 3) / 3)
    if create_graph:
        (second,) = gb.autograd.grad(found.sum(), x)
        assert gb.allclose(second, -2 / 9 * x ** (-5 / 3))

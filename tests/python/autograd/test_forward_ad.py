"""Duals carry a direction forward with a computation."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import garboard as gb
import garboard.autograd.forward_ad as fwd
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def vectors():
    gb.manual_seed(0)
    return gb.randn(3, dtype=gb.float64), gb.randn(3, dtype=gb.float64)


class TestADual:
    def test_carries_its_direction_through_a_computation(self):
        x, v = vectors()

        with fwd.dual_level():
            y = (fwd.make_dual(x, v).sin() * x).cumsum(0)
            primal, tangent = fwd.unpack_dual(y)

        wanted, moved = gb.func.jvp(lambda it: (it.sin() * x).cumsum(0), (x,), (v,))
        gb.testing.assert_close(primal, wanted)
        gb.testing.assert_close(tangent, moved)
        assert not primal.requires_grad
        assert not tangent.requires_grad

    def test_adds_up_with_others(self):
        x, v = vectors()
        w, u = vectors()

        with fwd.dual_level():
            y = fwd.make_dual(x, v) * fwd.make_dual(w, u)
            tangent = fwd.unpack_dual(y).tangent

        gb.testing.assert_close(tangent, v * w + x * u)

    def test_has_a_tangent_where_a_pass_takes_logarithms(self):
        with fwd.dual_level():
            x = fwd.make_dual(gb.tensor([-900.0, 3.0]), gb.tensor([1.0, 2.0]))

            assert fwd.unpack_dual(x.logcumsumexp(0)).tangent.tolist() == [1, 2]

    def test_is_its_own_tangent(self):
        x, v = vectors()

        with fwd.dual_level():
            primal, tangent = fwd.unpack_dual(fwd.make_dual(x, v))

        gb.testing.assert_close(primal, x)
        assert tangent is v

    def test_takes_a_tangent_of_another_dtype(self):
        x, v = vectors()

        with fwd.dual_level():
            tangent = fwd.unpack_dual(fwd.make_dual(x, v.float()) * 2).tangent

        assert tangent.dtype is gb.float64
        gb.testing.assert_close(tangent, v.float().double() * 2)

    def test_made_of_another_has_a_tangent_of_both(self):
        x, v = vectors()

        with fwd.dual_level():
            dual = fwd.make_dual(fwd.make_dual(x, v) * 2, x)
            tangent = fwd.unpack_dual(dual).tangent

        gb.testing.assert_close(tangent, v * 2 + x)

    def test_leaves_no_tangent_where_nothing_depends_on_it(self):
        x, v = vectors()
        other = gb.ones(2, requires_grad=True)

        with fwd.dual_level():
            dual = fwd.make_dual(x, v)

            assert fwd.unpack_dual(x * 2).tangent is None
            assert fwd.unpack_dual(other * 2).tangent is None
            assert fwd.unpack_dual(dual.detach()).tangent is None

    def test_of_parameters_goes_through_a_module(self):
        gb.manual_seed(0)
        layer = gb.nn.Linear(3, 2)
        x = gb.randn(4, 3)
        directions = {name: gb.randn(it.shape) for name, it in layer.named_parameters()}

        with fwd.dual_level():
            duals = {
                name: fwd.make_dual(it, directions[name]) for name, it in layer.named_parameters()
            }
            found = fwd.unpack_dual(gb.func.functional_call(layer, duals, (x,)))

        wanted = x @ directions["weight"].T + directions["bias"]
        gb.testing.assert_close(found.tangent.detach(), wanted)
        assert found.primal.requires_grad

    def test_gives_a_tangent_that_has_a_gradient_of_its_own(self):
        x, v = vectors()
        x.requires_grad_()

        with fwd.dual_level():
            tangent = fwd.unpack_dual(fwd.make_dual(x, v) ** 3).tangent
            tangent.sum().backward()

        gb.testing.assert_close(x.grad, 6 * x.detach() * v)


class Product(gb.autograd.Function):
    """x y, and x + factor y: a class of one rule, which goes forward."""

    calls: ClassVar[list[Any]] = []

    @staticmethod
    def forward(x, y, factor):
        return x * y, x + factor * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs[:2])
        ctx.factor = inputs[2]

    @staticmethod
    def jvp(ctx, of_x, of_y, of_factor):
        x, y = ctx.saved_tensors
        Product.calls.append((of_y.tolist(), of_factor))
        return of_x * y + x * of_y, of_x + ctx.factor * of_y


class TestAFunctionWithARuleOfItsOwn:
    def test_is_asked_once_and_what_comes_after_it_is_worked_out(self, no_leaks):
        Product.calls.clear()
        x, v = vectors()

        with fwd.dual_level():
            product, total = Product.apply(fwd.make_dual(x, v) * 2, x, 3.0)
            primal, of_product = fwd.unpack_dual(product)
            of_both = fwd.unpack_dual(product.sin() * total).tangent

        a, b = 2 * x * x, 5 * x
        gb.testing.assert_close(primal, a)
        gb.testing.assert_close(of_product, 2 * v * x)
        gb.testing.assert_close(of_both, a.cos() * 2 * v * x * b + a.sin() * 2 * v)
        assert Product.calls == [([0.0] * len(x), None)]
        assert not primal.requires_grad
        assert not of_product.requires_grad
        assert not of_both.requires_grad

    def test_goes_before_what_its_backward_says(self):
        class Wrong(gb.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, gradient):
                return gradient * 2

            @staticmethod
            def jvp(ctx, tangent):
                return tangent * 10

        x, v = vectors()
        x.requires_grad_()

        with fwd.dual_level():
            out = Wrong.apply(fwd.make_dual(x, v))
            tangent = fwd.unpack_dual(out).tangent
        out.sum().backward()

        gb.testing.assert_close(tangent, v * 10)
        assert x.grad.tolist() == [2.0] * len(x)

    def test_is_checked_by_differences(self):
        x = gb.tensor([0.5, 2.0], dtype=gb.float64, requires_grad=True)
        modes = {"check_forward_ad": True, "check_backward_ad": False}

        assert gb.autograd.gradcheck(lambda x: Product.apply(x, x, 2.0), x, **modes)
        assert gb.autograd.gradcheck(gb.exp, x, check_forward_ad=True, check_batched_grad=True)
        with pytest.raises(gb.GradientError, match="forward mode gives 4, differences 2"):
            gb.autograd.gradcheck(lambda x: Off.apply(x), x, **modes)

    def test_is_refused_what_fits_no_result(self):
        x, v = vectors()
        with fwd.dual_level():
            dual = fwd.make_dual(x, v)
            with pytest.raises(TypeError, match=r"^Off\.jvp: 2 tangents for 1 results; "):
                Off.apply(dual, lambda it: (it, it))
            with pytest.raises(gb.ShapeError, match=r"^Off\.jvp: a tangent of sizes \[1\] for "):
                Off.apply(dual, lambda it: it[:1])
            with pytest.raises(TypeError, match=r"^Off\.jvp: tangent "):
                Off.apply(dual, lambda it: 3)


class Off(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x, rule=lambda it: 4 * it):
        ctx.rule = rule
        return x * 2

    @staticmethod
    def jvp(ctx, tangent, _=None):
        return ctx.rule(tangent)


class TestARuleInAFunctionOfFunctions:
    def test_is_asked_by_jvp(self):
        x, v = gb.tensor([1.0, 2.0]), gb.tensor([1.0, 0.5])

        (product, total), moved = gb.func.jvp(lambda it: (Off.apply(it) * it, it.sum()), (x,), (v,))

        assert (product.tolist(), total.item()) == ([2, 8], 3)
        assert moved[0].tolist() == [4 * 1 + 2 * 1, 4 * 0.5 * 2 + 4 * 0.5]
        assert moved[1].item() == 1.5

    def test_is_asked_once_for_all_that_is_made_of_it(self):
        asked = []

        def rule(tangent):
            asked.append(tangent.tolist())
            return 3 * tangent

        def twice(x):
            return Off.apply(Off.apply(x.sin(), rule), rule) + x

        _, moved = gb.func.jvp(twice, (gb.zeros(1),), (gb.ones(1),))

        assert asked == [[1], [3]]
        assert moved.tolist() == [10]

    def test_has_gradients_of_its_own(self):
        x = gb.tensor([2.0], requires_grad=True)

        _, moved = gb.func.jvp(lambda it: Off.apply(it**2), (x,), (gb.ones(1),))
        moved.sum().backward()

        assert x.grad.tolist() == [8]
        slope = gb.func.grad(lambda it: gb.func.jvp(Off.apply, (it,), (it * it,))[1].sum())
        assert slope(gb.tensor([3.0])).tolist() == [24]

    def test_is_none_beyond_the_call(self):
        _, again = gb.func.linearize(Off.apply, gb.ones(1))

        assert again(gb.ones(1)).tolist() == [4]
        with pytest.raises(gb.ShapeError, match="tangents of other sizes than the primals"):
            gb.func.jvp(Off.apply, (gb.ones(1),), (gb.ones(2),))
        assert fwd._calling.get() is None

    def test_is_asked_by_the_innermost_of_nested_calls(self):
        x, v = gb.tensor([1.0, 2.0, 3.0]), gb.tensor([1.0, 0.5, 2.0])

        def inner(y):  # 4 y**2 by the rule, where its derivative is 2 y**2
            return gb.func.jvp(lambda it: Off.apply(it) * y, (y,), (y,))[1]

        value, moved = gb.func.jvp(inner, (x,), (v,))

        assert value.tolist() == [4, 16, 36]
        assert moved.tolist() == [8, 8, 48]
        assert fwd._calling.get() is None

    def test_is_asked_by_each_thread_s_own_call(self):
        both = threading.Barrier(2, timeout=30)

        def within(rule):
            def called(it):
                both.wait()  # both calls are open
                made = Off.apply(it, rule)
                both.wait()
                return made

            return gb.func.jvp(called, (gb.ones(3),), (gb.ones(3),))[1].tolist()

        with ThreadPoolExecutor(2) as pool:
            made = pool.map(within, [lambda it: 3 * it, lambda it: 5 * it])

        assert list(made) == [[3] * 3, [5] * 3]


class TestALevel:
    def test_is_one_at_a_time(self):
        with fwd.dual_level(), pytest.raises(gb.GradientError, match=r"func\.jvp"):
            fwd.enter_dual_level()

        assert fwd.enter_dual_level() == 0
        fwd.exit_dual_level(level=0)

    def test_is_needed(self):
        x, v = vectors()

        for call in (
            lambda: fwd.make_dual(x, v),
            lambda: fwd.unpack_dual(x, level=0),
            lambda: fwd.exit_dual_level(),
        ):
            with pytest.raises(gb.GradientError, match="no level is open"):
                call()

    def test_is_not_needed_to_hear_that_a_tensor_has_no_direction(self):
        x, _ = vectors()

        primal, tangent = fwd.unpack_dual(x)

        assert primal is x
        assert tangent is None

    def test_refuses_what_is_no_direction(self):
        x, v = vectors()

        with fwd.dual_level():
            with pytest.raises(gb.ShapeError, match="they must be alike"):
                fwd.make_dual(x, v[:2])
            with pytest.raises(ValueError, match=r"a tangent of dtype garboard\.int64"):
                fwd.make_dual(x, v.long())
            with pytest.raises(TypeError, match="tangent"):
                fwd.make_dual(x, 1.0)  # type: ignore[arg-type]
            with pytest.raises(gb.GradientError, match="recording is needed"), gb.no_grad():
                fwd.make_dual(x, v)
            with pytest.raises(gb.GradientError, match="level 3; the open one is 0"):
                fwd.make_dual(x, v, level=3)
            with pytest.raises(gb.GradientError, match="int64"):
                fwd.make_dual(gb.ones(1).long(), gb.ones(1))


class TestAJacobianOfAFunctionWithARuleOfItsOwn:
    class Told(gb.autograd.Function):
        """A square, whose rule says a hundred times as much as its backward."""

        @staticmethod
        def forward(x):
            return x**2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return 2 * x * gradient

        @staticmethod
        def jvp(ctx, tangent):
            (x,) = ctx.saved_tensors
            return 200 * x * tangent

    def test_asks_the_rule_forwards_and_not_backwards(self):
        x, f = gb.tensor([1.0, 2.0, 3.0]), self.Told.apply

        assert gb.func.jacfwd(f)(x).tolist() == gb.diag(200 * x).tolist()
        assert gb.func.jacrev(f)(x).tolist() == gb.diag(2 * x).tolist()
        assert gb.func.jacfwd(f)(x[2]).item() == 600
        assert gb.func.hessian(lambda x: f(x).sum())(x).tolist() == (2 * gb.eye(3)).tolist()

    def test_is_of_nests_of_arguments_and_of_results(self):
        x, f = gb.tensor([1.0, 2.0]), self.Told.apply

        (first, second), other = gb.func.jacfwd(
            lambda x, y: (f(x["a"]) * y, y.sum()), argnums=(0, 1)
        )({"a": x}, x)

        assert first["a"].tolist() == [[200, 0], [0, 800]]
        assert second.tolist() == [[1, 0], [0, 4]]
        assert other[0]["a"].tolist() == [0, 0]
        assert other[1].tolist() == [1, 1]
        found, aux = gb.func.jacfwd(lambda x: (f(x), x), has_aux=True)(x)
        assert (found.tolist(), aux.tolist()) == ([[200, 0], [0, 400]], [1, 2])

    def test_takes_the_backward_of_samples_that_are_called_one_by_one(self):
        class Batched(self.Told):
            generate_vmap_rule = True

        x, f = gb.tensor([1.0, 2.0, 3.0]), Batched.apply

        def moved(x, tangent):
            return gb.func.jvp(f, (x,), (tangent,))[1]

        assert gb.func.vmap(moved)(x, gb.ones(3)).tolist() == [2, 4, 6]
        assert gb.func.vmap(gb.func.jacfwd(f))(x).tolist() == [2, 4, 6]
        assert moved(x, gb.ones(3)).tolist() == [200, 400, 600]
        assert gb.func.jvp(gb.func.vmap(f), (x,), (gb.ones(3),))[1].tolist() == [200, 400, 600]


def test_a_function_that_writes_into_its_argument_moves_the_tangent_it_had():
    class Doubled(gb.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

        @staticmethod
        def jvp(ctx, tangent):
            return tangent.mul_(2)

    with fwd.dual_level():
        x = fwd.make_dual(gb.tensor([1.0, 3.0]), gb.ones(2))
        moved = fwd.unpack_dual(Doubled.apply(x.clone()))

        assert moved.primal.tolist() == [2, 6]
        assert moved.tangent.tolist() == [2, 2]

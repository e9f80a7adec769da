"""`gradcheck` finds wrong gradients; `functional` gives Jacobians and Hessians."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.autograd import functional, gradcheck, gradgradcheck


def leaf(*values: float) -> gb.Tensor:
    return gb.tensor(list(values), dtype=gb.float64, requires_grad=True)


class Wrong(gb.autograd.Function):
    """x ** 2, and a gradient that is off by a factor, of the first or of the second order."""

    @staticmethod
    def forward(ctx: Any, x: gb.Tensor, order: int) -> gb.Tensor:
        ctx.save_for_backward(x)
        ctx.order = order
        return x * x

    @staticmethod
    def backward(ctx: Any, gradient: gb.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        if ctx.order == 1:
            return x * gradient, None
        return 2 * gradient * x.detach(), None


class TestGradcheck:
    @pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
    def test_accepts_what_is_right(self, check):
        x, w = leaf(0.5, 1, 2), leaf(3, 4, 5)
        before = (x.tolist(), x.grad)

        assert check(lambda x, w, k: (x.exp() * w * k, (x * w).sum()), (x, w, 3.0))
        assert check(lambda x: x.reshape(3, 1).T.sin(), x)
        assert (x.tolist(), x.grad) == before

    def test_asks_no_backward_of_a_function_that_has_none(self):
        class Doubled(gb.autograd.Function):
            @staticmethod
            def forward(ctx, x, number):
                return x * 2

            @staticmethod
            def jvp(ctx, tangent, none):
                assert none is None  # integers have no tangent
                return tangent * 2

        x = gb.rand(3, dtype=gb.float64, requires_grad=True)

        for is_fast in (False, True):
            assert gradcheck(
                lambda x: Doubled.apply(x, gb.tensor(3)),
                x,
                fast_mode=is_fast,
                check_forward_ad=True,
                check_backward_ad=False,
            )

    def test_compares_along_one_direction_in_its_fast_mode(self, monkeypatch):
        x = gb.tensor([0.5, 2.0], dtype=gb.float64, requires_grad=True)
        z = gb.tensor([0.5 + 1j, 2.0], dtype=gb.complex128, requires_grad=True)
        state, calls = gb.get_rng_state(), []

        def heard(x):
            calls.append(x)
            return x.exp(), (x * x).sum()

        assert gradcheck(heard, x, fast_mode=True)
        assert len(calls) == 3  # once to record, and at both ends of the direction
        assert gradcheck(lambda z, x: z * z.conj() * x, (z, x), fast_mode=True)
        assert gradcheck(lambda x: (x.sin(), x.argmax()), x, fast_mode=True, check_forward_ad=True)
        assert x.tolist() == [0.5, 2.0]
        assert gb.equal(gb.get_rng_state(), state)
        for wrong in (lambda x: x.detach() * x, lambda x: Wrong.apply(x, 1)):
            with pytest.raises(gb.GradientError, match="they must agree"):
                gradcheck(wrong, x, fast_mode=True)
        calls.clear()

    @pytest.mark.parametrize("fast_mode", [False, True])
    def test_leaves_out_outputs_without_history_where_others_have_one(self, fast_mode):
        x = leaf(1, 2)

        assert gradcheck(lambda x: (x * 2, x.detach() * 3), x, fast_mode=fast_mode)
        with pytest.raises(gb.GradientError, match="they must agree"):
            gradcheck(lambda x: x.detach() * 3, x, fast_mode=fast_mode)

    def test_finds_what_is_wrong(self):
        x = leaf(1, 2)

        with pytest.raises(gb.GradientError, match=r"output 0, element 0, .* gives 1, diff.* 2; "):
            gradcheck(lambda x: Wrong.apply(x, 1), x)
        assert not gradcheck(lambda x: Wrong.apply(x, 1), x, raise_exception=False)
        assert gradcheck(lambda x: Wrong.apply(x, 2), x)
        with pytest.raises(gb.GradientError, match="gradgradcheck: output 0"):
            gradgradcheck(lambda x: Wrong.apply(x, 2), x)
        assert gradgradcheck(lambda x: x * x * x, x, gen_non_contig_grad_outputs=True)
        assert gradgradcheck(lambda x: x * x * x, x, leaf(1, 2))

    def test_warns_of_single_floats_and_compares_them_all_the_same(self):
        x = gb.tensor([0.5, 2.0], requires_grad=True)

        with pytest.warns(UserWarning, match="float32, of whose differences few digits are right"):
            assert gradcheck(gb.exp, x, eps=1e-2, atol=1e-2)

    @pytest.mark.parametrize(
        ("call", "error", "text"),
        [
            (lambda x: gradcheck(gb.exp, gb.ones(1)), gb.GradientError, "no input requires grad"),
            (lambda x: gradcheck(gb.exp, gb.ones(1)), ValueError, "no input requires grad"),
            (lambda x: gradcheck(lambda x: 3, x), gb.GradientError, "no floating tensor"),
            (lambda x: gradcheck(3, x), TypeError, "func is of type int"),
            (lambda x: gradcheck(gb.exp, 3), TypeError, "inputs is of type int"),
            (lambda x: gradcheck(gb.exp, x, eps=-1), ValueError, "eps -1"),
            (lambda x: gradcheck(gb.exp, x, fast=True), TypeError, "no argument of that name"),
            (lambda x: gradcheck(gb.exp, x.expand(3, 2)), gb.GradientError, "more than once"),
            (lambda x: gradcheck(lambda x: 1 / 0, x), ZeroDivisionError, "division"),
        ],
    )
    def test_tells_what_it_needs(self, call, error, text):
        x = leaf(1, 2)

        with pytest.raises(error, match=text):
            call(x)

        assert x.tolist() == [1, 2]

    def test_leaves_nothing(self):
        x = leaf(1, 2)
        before = gb.memory.live()

        gradgradcheck(lambda x: x.exp(), x)

        assert gb.memory.live() == before


def cubes(x: gb.Tensor, y: gb.Tensor) -> gb.Tensor:
    return (x**3).sum() * y.sum() + (y * y).sum()


def point() -> gb.Tensor:
    return gb.tensor([1.0, 2.0])


class TestFunctional:
    def test_jacobian_of_several(self):
        x, y = point(), gb.tensor([3.0])
        found = functional.jacobian(lambda x, y: (x * y, x.sum()), (x, y))

        (xx, xy), (sx, sy) = found
        assert xx.tolist() == [[3, 0], [0, 3]]
        assert xy.tolist() == [[1], [2]]
        assert (sx.tolist(), sy.tolist()) == ([1, 1], [0])

    def test_hessian_of_several(self):
        x, y = point(), gb.tensor([3.0])
        (xx, xy), (yx, yy) = functional.hessian(cubes, (x, y))

        assert xx.tolist() == [[18, 0], [0, 36]]
        assert xy.tolist() == [[3], [12]]
        assert yx.tolist() == [[3, 12]]
        assert yy.tolist() == [[2]]

    def test_products_are_those_of_the_matrices(self):
        rng = np.random.default_rng(1)
        matrix = gb.tensor(rng.normal(size=(3, 2)))
        x, u, v = (gb.tensor(rng.normal(size=n)) for n in (2, 3, 2))
        jacobian = functional.jacobian(lambda x: (matrix @ x).sin(), x)
        hessian = functional.hessian(lambda x: (matrix @ x).sin().sum(), x)

        _, uj = functional.vjp(lambda x: (matrix @ x).sin(), x, u)
        _, jv = functional.jvp(lambda x: (matrix @ x).sin(), x, v)
        _, vh = functional.vhp(lambda x: (matrix @ x).sin().sum(), x, v)
        value, hv = functional.hvp(lambda x: (matrix @ x).sin().sum(), x, v)

        assert gb.allclose(uj, u @ jacobian)
        assert gb.allclose(jv, jacobian @ v)
        assert gb.allclose(vh, v @ hessian)
        assert gb.allclose(hv, hessian @ v)
        assert value.item() == pytest.approx((matrix @ x).sin().sum().item())
        assert not any(it.requires_grad for it in (uj, jv, hv))

    def test_products_are_right_where_a_pass_takes_logarithms(self):
        _, jv = functional.jvp(
            lambda x: x.logcumsumexp(0), gb.tensor([-900.0, 3.0]), gb.tensor([1.0, 2.0])
        )

        assert jv.tolist() == [1, 2]

    def test_results_can_be_recorded(self):
        x = leaf(1, 2)

        jacobian = functional.jacobian(lambda x: x**3, x, create_graph=True)
        (found,) = gb.autograd.grad(jacobian.sum(), x)

        assert found.tolist() == [6, 12]

    def test_of_no_elements(self):
        x = point()
        assert functional.jacobian(lambda x: x[:0], x).shape == (0, 2)
        assert functional.jacobian(lambda x: x.sum(), gb.zeros(0, 3)).shape == (0, 3)

    @pytest.mark.parametrize(
        ("call", "error", "text"),
        [
            (lambda x: functional.jacobian(gb.exp, 3), TypeError, "inputs is of type int"),
            (
                lambda x: functional.jacobian(lambda x: 3, x),
                TypeError,
                "what the function returned",
            ),
            (lambda x: functional.jacobian(3, x), TypeError, "func is of type int"),
            (lambda x: functional.jacobian(gb.exp, gb.tensor([1])), gb.GradientError, "int64"),
            (lambda x: functional.hessian(gb.exp, x), gb.ShapeError, "one element is needed"),
            (lambda x: functional.vjp(gb.exp, x), gb.GradientError, "no v"),
            (lambda x: functional.vjp(gb.exp, x, x[:1]), gb.ShapeError, "v has sizes"),
            (lambda x: functional.jvp(gb.exp, x, (x, x)), gb.GradientError, "2 tensors in v"),
            (
                lambda x: functional.jacobian(lambda x: gb.ones(1), x, strict=True),
                gb.GradientError,
                "does not depend on the inputs",
            ),
            (
                lambda x: functional.jacobian(gb.clone, x, create_graph=True, strict=True),
                gb.GradientError,
                "derivative 0 does not depend on the inputs",
            ),
            (
                lambda x: functional.hessian(gb.sum, x, strict=True, vectorize=True),
                RuntimeError,
                "hessian: strict=True with vectorize=True",
            ),
            (
                lambda x: functional.jacobian(gb.exp, x, strategy="sideways"),
                ValueError,
                "strategy 'sideways'; 'reverse-mode' or 'forward-mode' is needed",
            ),
        ],
    )
    def test_tells_what_it_needs(self, call, error, text):
        x = point()
        before = gb.memory.live()

        with pytest.raises(error, match=text) as caught:
            call(x)

        del caught
        assert gb.memory.live() == before


def test_either_strategy_gives_the_same():
    x = leaf(0.5, 1, 2)

    found = functional.jacobian(gb.exp, x, vectorize=True, strategy="forward-mode")
    twice = functional.hessian(lambda x: x.exp().sum(), x, outer_jacobian_strategy="forward-mode")

    gb.testing.assert_close(found, functional.jacobian(gb.exp, x))
    gb.testing.assert_close(twice, found)


def test_gradcheck_takes_a_function_that_asks_for_gradients_itself():
    x = leaf(0.5, 1, 2)

    def force(x):
        return gb.autograd.grad((x**3).sum(), x, create_graph=True)[0]

    assert gb.autograd.gradcheck(force, (x,))


@pytest.mark.no_leaks
def test_a_gradient_that_is_assigned_keeps_its_history():
    x, rate = gb.tensor(3.0, requires_grad=True), gb.tensor(0.5, requires_grad=True)
    (slope,) = gb.autograd.grad(x**3, x, create_graph=True)

    with gb.no_grad():
        x.grad = slope
    stepped = x - rate * x.grad  # as learning to learn does
    x.grad = None
    of_x, of_rate = gb.autograd.grad(stepped, (x, rate))

    assert (of_x.item(), of_rate.item()) == (1 - 0.5 * 6 * 3, -27)

"""Duals carry a direction forward with a computation."""

from __future__ import annotations

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

    def test_is_its_own_tangent(self):
        x, v = vectors()

        with fwd.dual_level():
            primal, tangent = fwd.unpack_dual(fwd.make_dual(x, v))

        gb.testing.assert_close(primal, x)
        assert tangent is v

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
            with pytest.raises(TypeError, match="tangent"):
                fwd.make_dual(x, 1.0)  # type: ignore[arg-type]
            with pytest.raises(gb.GradientError, match="recording is needed"), gb.no_grad():
                fwd.make_dual(x, v)
            with pytest.raises(gb.GradientError, match="level 3; the open one is 0"):
                fwd.make_dual(x, v, level=3)
            with pytest.raises(gb.GradientError, match="int64"):
                fwd.make_dual(gb.ones(1).long(), gb.ones(1).long())

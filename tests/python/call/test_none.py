"""None is no tensor, but where a function says that it may be given."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import _engine


class TestNone:
    @pytest.mark.parametrize("name", ["grad_fn", "_version"])
    def test_has_no_property_of_a_tensor(self, name):
        getter = getattr(gb.Tensor, name).fget

        with pytest.raises(TypeError):
            getter(None)

    @pytest.mark.parametrize("name", ["storage", "untyped_storage"])
    def test_has_no_method_of_a_tensor(self, name):
        with pytest.raises(TypeError):
            getattr(gb.Tensor, name)(None)

    def test_is_no_parameter(self):
        sgd = dict(lr=1, momentum=0, dampening=0, weight_decay=0, nesterov=False)
        adam = dict(lr=1, beta1=0, beta2=0, eps=0, weight_decay=0, decoupled=False)

        for parameters in ([None], None, [gb.ones(1), None]):
            with pytest.raises(TypeError):
                _engine.SgdState().step(parameters, **sgd)
            with pytest.raises(TypeError):
                _engine.AdamState().step(parameters, **adam)

    def test_starts_no_backward_pass(self):
        with pytest.raises(TypeError):
            gb.autograd.backward([None])
        with pytest.raises(TypeError):
            gb.autograd.grad(None, [gb.ones(1, requires_grad=True)])

    def test_is_state_that_an_optimizer_has_not_made_yet(self):
        sgd, adam = _engine.SgdState(), _engine.AdamState()
        state = gb.ones(2)

        sgd.velocities = [None, state]
        adam.means, adam.squares = (state, None), [None]

        assert sgd.velocities[0] is None
        assert sgd.velocities[1].tolist() == [1, 1]
        assert adam.means[1] is None
        assert adam.squares == [None]

    def test_is_no_list_of_states(self):
        with pytest.raises(TypeError):
            _engine.SgdState().velocities = None
        with pytest.raises(TypeError):
            _engine.SgdState().velocities = [1]

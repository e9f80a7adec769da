"""What functions need that compute again in a backward pass of their own: states, new leaves."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard.utils import checkpoint


def test_nothing_is_kept_of_arguments_on_the_cpu(no_leaks):
    assert checkpoint.get_device_states(gb.rand(2), [gb.rand(3)], {"x": gb.rand(1)}, 3) == ([], [])


def test_each_tensor_on_a_device_gives_its_number_and_where_the_generator_stands(no_leaks):
    with gb.memory.SimulatedDevice("4 MiB") as device:
        x = gb.rand(2, device=device)
        gb.manual_seed(4)

        devices, states = checkpoint.get_device_states(3, (x, {"y": x}), gb.rand(0))
        x.dispose()

        assert devices == [device.index] * 2
        assert all(gb.equal(it, gb.get_rng_state()) for it in states)


def test_the_same_numbers_are_drawn_again_from_states_that_are_set(no_leaks):
    state = gb.get_rng_state()
    drawn = gb.rand(4)

    checkpoint.set_device_states([0], [state])

    assert gb.equal(gb.rand(4), drawn)


def test_states_of_no_devices_change_nothing(no_leaks):
    before = gb.get_rng_state()

    checkpoint.set_device_states([], [], device_type="cuda")

    assert gb.equal(gb.get_rng_state(), before)


def test_leaves_of_a_new_graph_require_grad_where_arguments_do(no_leaks):
    x = gb.ones(2, requires_grad=True)

    leaf, number, other = checkpoint.detach_variable((x * 2, 3, gb.ones(1)))
    (leaf * number).sum().backward()

    assert leaf.grad.tolist() == [3, 3]
    assert x.grad is None
    assert not other.requires_grad


def test_leaves_are_made_of_a_tuple_alone():
    with pytest.raises(TypeError, match=r"detach_variable: .*list"):
        checkpoint.detach_variable([gb.ones(2)])  # type: ignore[arg-type]


def test_a_warning_says_that_no_argument_requires_grad(recwarn):
    checkpoint.check_backward_validity([gb.ones(1, requires_grad=True)])
    assert not recwarn.list

    with pytest.warns(UserWarning, match="none of the inputs requires grad"):
        checkpoint.check_backward_validity([gb.ones(1), 3])


def test_a_function_runs_to_its_end_again_where_early_stops_are_off(no_leaks):
    ends: list[int] = []

    def function(x: Any) -> Any:
        y = x.sin()
        ends.append(1)
        return y

    x = gb.ones(2, requires_grad=True)
    with checkpoint.set_checkpoint_early_stop(False):
        y = checkpoint.checkpoint(function, x)
    z = checkpoint.checkpoint(function, x)

    y.sum().backward()
    assert len(ends) == 3

    z.sum().backward()
    assert len(ends) == 3


def test_no_contexts_are_the_default(no_leaks):
    x = gb.ones(2, requires_grad=True)

    y = checkpoint.checkpoint(gb.sin, x, context_fn=checkpoint.noop_context_fn)
    (gradient,) = gb.autograd.grad(y.sum(), x)

    assert gb.equal(gradient, x.detach().cos())


def test_a_list_that_holds_itself_has_no_device():
    nest: list[object] = []
    nest.append(nest)

    assert gb.utils.checkpoint.get_device_states(nest) == ([], [])

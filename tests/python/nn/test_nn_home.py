"""Modules and dispose scopes: what a scope ends of a module, and what it spares."""

from __future__ import annotations

import copy
import threading

import garboard as gb
import pytest
from garboard import _engine, nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def scopes_of(module: nn.Module) -> list[gb.DisposeScope | None]:
    return [_engine._scope_of(tensor) for tensor in module._owned_tensors()]


class TestAModuleBuiltOutside:
    def test_survives_a_scope_with_what_is_assigned_inside(self):
        layer = nn.Linear(2, 2)

        with gb.dispose_scope("inside"):
            layer.weight = nn.Parameter(gb.ones(2, 2))
            layer.register_buffer("count", gb.zeros(1))
            layer.count = gb.ones(1)

        assert layer.weight.tolist() == [[1.0, 1.0], [1.0, 1.0]]
        assert layer.count.item() == 1
        assert scopes_of(layer) == [None, None, None]

    def test_survives_with_its_gradients(self):
        layer = nn.Linear(2, 1)

        with gb.dispose_scope():
            layer(gb.ones(1, 2)).sum().backward()

        assert layer.weight.grad.tolist() == [[1.0, 1.0]]
        assert layer.bias.grad.tolist() == [1.0]

    def test_takes_a_submodule_that_was_built_inside_along(self):
        model = nn.Sequential()

        with gb.dispose_scope():
            model.append(nn.Linear(2, 2))
            model[0].weight = nn.Parameter(gb.ones(2, 2))

        assert scopes_of(model) == [None, None]
        with gb.dispose_scope():
            model[0].bias = nn.Parameter(gb.ones(2))
        assert model(gb.zeros(1, 2)).tolist() == [[1.0, 1.0]]

    def test_survives_a_conversion_inside(self):
        layer = nn.Linear(2, 2)

        with gb.dispose_scope():
            layer.double()

        assert layer.weight.dtype == gb.float64
        assert not layer.weight.is_disposed

    def test_a_scope_of_its_birth_ends_what_is_registered_later(self):
        with gb.dispose_scope("outer") as outer:
            layer = nn.Linear(2, 2)
            with gb.dispose_scope("inner"):
                layer.weight = weight = nn.Parameter(gb.ones(2, 2))
                assert weight in outer
            assert not weight.is_disposed

        assert weight.is_disposed


class TestAModuleBuiltInside:
    def test_ends_with_the_scope(self):
        with gb.dispose_scope("step"):
            layer = nn.Linear(2, 2)
            layer.register_buffer("count", gb.zeros(1))
            layer(gb.ones(1, 2)).sum().backward()

        assert all(tensor.is_disposed for tensor in layer._owned_tensors())
        with pytest.raises(gb.DisposedError, match='disposed by scope "step"'):
            layer(gb.ones(1, 2))

    def test_leaves_no_bytes_though_it_is_kept(self):
        before = gb.memory.live()

        with gb.dispose_scope():
            layer = nn.Linear(2, 2)
            layer(gb.ones(1, 2)).sum().backward()

        assert gb.memory.live() == before
        assert layer.weight.is_disposed

    def test_does_not_shorten_the_life_of_what_is_lent_to_it(self):
        model = nn.Linear(2, 2)
        weight = nn.Parameter(gb.ones(2, 2))

        with gb.dispose_scope():
            wrapped = nn.Sequential(model, nn.Softmax(dim=1))
            tied = nn.Linear(2, 2)
            tied.weight = weight
            wrapped(gb.ones(1, 2))

        assert not weight.is_disposed
        assert not model.weight.is_disposed
        assert tied.bias.is_disposed

    def test_a_decorated_function_returns_it_alive(self):
        @gb.dispose_scope("build")
        def build():
            spare = nn.Linear(2, 2)
            model = nn.Sequential(nn.Linear(2, 2))
            model.register_buffer("count", gb.zeros(1))
            return model, spare.weight.detach().sum().item()

        model, _ = build()

        assert scopes_of(model) == [None, None, None]

    def test_one_returned_registers_on_the_scope_around_its_birth(self):
        @gb.dispose_scope("build")
        def build():
            return nn.Linear(2, 2)

        with gb.dispose_scope("outer") as outer:
            layer = build()
            with gb.dispose_scope("inner"):
                layer.weight = weight = nn.Parameter(gb.ones(2, 2))
            assert not weight.is_disposed
            assert weight in outer

        assert weight.is_disposed

    def test_a_copy_belongs_to_the_scope_it_is_made_in(self):
        model = nn.Linear(2, 2)

        with gb.dispose_scope():
            copied = copy.deepcopy(model)
            copied.bias = nn.Parameter(gb.ones(2))

        assert not model.weight.is_disposed
        assert copied.weight.is_disposed
        assert copied.bias.is_disposed


def test_statistics_count_what_is_detached():
    statistics = gb.dispose_scope_statistics()
    layer = nn.Linear(2, 2)
    statistics.reset()

    with gb.dispose_scope():
        layer.weight = nn.Parameter(gb.ones(2, 2))

    assert statistics.detached_from_scope_count == 1
    assert statistics.attached_to_scope_count == 0
    assert statistics.created_in_scope_count == 2  # the parameter, and the tensor it shares with
    assert statistics.disposed_in_scope_count == 1


def test_another_threads_scope_does_not_end_a_modules_parameter():
    layer = nn.Linear(2, 2)

    def replace():
        with gb.dispose_scope("thread"):
            layer.weight = nn.Parameter(gb.ones(2, 2))

    thread = threading.Thread(target=replace)
    thread.start()
    thread.join()

    assert layer.weight.tolist() == [[1.0, 1.0], [1.0, 1.0]]

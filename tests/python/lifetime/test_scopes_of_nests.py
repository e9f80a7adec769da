"""Wherever a scope takes tensors it takes modules, optimizers, and nests of them."""

from __future__ import annotations

from collections import OrderedDict

import garboard as gb
import pytest
from garboard import _engine, nn, optim

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def home_of(module: nn.Module) -> gb.DisposeScope | None:
    return vars(module)["_home"]


class TestAModule:
    def test_is_detached_whole(self):
        with gb.dispose_scope("step") as scope:
            model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
            model.register_buffer("count", gb.zeros(1))
            assert model in scope

            assert scope.detach(model) is model

            assert model not in scope
            assert len(scope) == 0
        assert model(gb.ones(1, 2)).shape == (1, 2)
        assert model.count.item() == 0

    def test_keeps_what_it_registers_after_it_was_detached(self):
        with gb.dispose_scope() as scope:
            layer = scope.detach(nn.Linear(2, 2))
            layer.weight = nn.Parameter(gb.ones(2, 2))
            layer.double()

        assert layer.weight.dtype == gb.float64
        assert layer.weight.tolist() == [[1, 1], [1, 1]]

    def test_moves_to_the_outer_scope_and_ends_there(self):
        with gb.dispose_scope("outer") as outer:
            with gb.dispose_scope("inner") as inner:
                layer = inner.move_to_outer(nn.Linear(2, 2))
                layer.bias = nn.Parameter(gb.ones(2))
                assert home_of(layer) == outer
            assert layer in outer

        assert layer.weight.is_disposed
        assert layer.bias.is_disposed

    def test_moves_to_another_scope(self):
        with gb.dispose_scope("outer") as outer, gb.dispose_scope("inner") as inner:
            layer = nn.Linear(2, 2)

            assert inner.move_to_other(outer, layer) is layer

            assert layer in outer
            assert home_of(layer) == outer

    def test_is_attached_with_what_it_registers_later(self):
        layer = nn.Linear(2, 2)

        with gb.dispose_scope() as scope:
            assert scope.attach(layer) is layer
            layer.bias = nn.Parameter(gb.ones(2))

        assert layer.weight.is_disposed
        assert layer.bias.is_disposed

    def test_built_outside_is_left_alone(self):
        layer = nn.Linear(2, 2)

        with gb.dispose_scope("outer") as outer, gb.dispose_scope("inner") as inner:
            inner.move_to_other(outer, layer)
            inner.detach(layer)
            assert layer not in outer
            layer.bias = nn.Parameter(gb.ones(2))

        assert layer(gb.ones(1, 2)).shape == (1, 2)

    def test_partly_in_a_scope_is_not_in_it(self):
        with gb.dispose_scope() as scope:
            layer = nn.Linear(2, 2)
            scope.detach(layer.bias)

            assert layer not in scope
            assert nn.ReLU() not in scope
            scope.detach(layer)
        assert not layer.weight.is_disposed
        layer.dispose()


class TestAnOptimizer:
    @pytest.mark.parametrize("wrapped", [lambda it: it, lambda it: [it], lambda it: {"of": (it,)}])
    def test_takes_its_parameters_along(self, wrapped):
        with gb.dispose_scope() as scope:
            x = gb.ones(2, requires_grad=True)
            optimizer = optim.Adam([x], lr=0.1)
            y = gb.ones(3)
            assert optimizer in scope

            scope.detach(wrapped(optimizer))

            assert (x in scope, y in scope) == (False, True)
        (x * x).sum().backward()
        optimizer.step()
        assert x.tolist() == pytest.approx([0.9, 0.9])
        optimizer.dispose()

    def test_returned_by_a_decorated_function_can_step(self):
        @gb.dispose_scope("make")
        def make() -> tuple[nn.Module, optim.Optimizer]:
            model = nn.Linear(2, 1)
            return model, optim.SGD([*model.parameters(), gb.ones(1)], lr=0.1)

        model, optimizer = make()

        model(gb.ones(1, 2)).sum().backward()
        optimizer.step()
        assert not any(parameter.is_disposed for parameter in optimizer._scope_members())


class TestANest:
    def test_is_returned_as_it_was_given(self):
        nest = {"a": [gb.ones(1)], "b": (gb.ones(2), None, 3, "name", 2.5, True)}
        lists = [gb.ones(3)]

        with gb.dispose_scope() as scope:
            assert scope.attach(nest) is nest
            assert scope.detach(nest, lists) == (nest, lists)
            assert len(scope) == 0

        assert nest["a"][0].tolist() == [1]

    def test_stands_for_the_tensors_in_it(self):
        with gb.dispose_scope() as scope:
            kept, gone = OrderedDict(a=gb.ones(1)), [gb.ones(2), gb.ones(3)]
            model = nn.Linear(1, 1)
            assert gone in scope
            assert [gone, kept, model] in scope

            assert scope.dispose_everything_but(model, [kept]) == (model, [kept])

            assert [it.is_disposed for it in gone] == [True, True]
            assert len(scope) == 3
            scope.move_to_outer(kept, model)
        assert kept["a"].tolist() == [1]
        assert model(gb.ones(1, 1)).shape == (1, 1)

    def test_without_tensors_is_in_no_scope(self):
        with gb.dispose_scope() as scope:
            assert [] not in scope
            assert [3, None] not in scope
            assert 3 not in scope
            assert scope.detach([]) == []

    def test_may_hold_itself(self):
        nest: list[object] = [gb.ones(1)]
        nest.append(nest)

        with gb.dispose_scope() as scope:
            scope.attach(nest)

            assert len(scope) == 1
        nest.clear()

    @pytest.mark.parametrize(
        ("given", "kind"),
        [
            ((3,), "int"),
            ((None,), "NoneType"),
            (([object()],), "object"),
            ((iter([]),), "list_iter"),
        ],
    )
    @pytest.mark.parametrize(
        "op", ["detach", "attach", "move_to_outer", "dispose_everything_but", "move_to_other"]
    )
    def test_with_something_else_is_refused_before_anything_moves(self, op, given, kind):
        with gb.dispose_scope("outer") as outer, gb.dispose_scope() as scope:
            x = gb.ones(1)
            other = (outer,) if op == "move_to_other" else ()

            with pytest.raises(
                TypeError, match=f"^{op}: an argument of type {kind}.*; a Tensor, a PackedS"
            ):
                getattr(scope, op)(*other, [x], *given)

            assert x in scope

    def test_counts_each_tensor_once(self):
        gb.dispose_scope_statistics().reset()
        with gb.dispose_scope() as scope:
            x = gb.ones(1)

            scope.detach([x, x], x, {"x": x})

        assert gb.dispose_scope_statistics().detached_from_scope_count == 1
        assert _engine._scope_of(x) is None

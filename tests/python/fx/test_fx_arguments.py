"""The arguments of nodes by their names, and names that a traced module does not have yet."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard import fx, nn
from garboard.fx.operator_schemas import ArgsKwargsPair, normalize_function, normalize_module

F = nn.functional


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        y = F.max_pool2d(self.layer(x), 2)
        return gb.cat([y, y], dim=1).flatten() + 1


def nodes() -> tuple[fx.GraphModule, dict[str, fx.Node]]:
    traced = fx.symbolic_trace(Model())
    return traced, {node.name: node for node in traced.graph.nodes}


def test_arguments_are_told_with_the_defaults_of_others():
    traced, by_name = nodes()
    pool, layer, cat = by_name["max_pool2d"], by_name["layer"], by_name["cat"]
    rest = {"stride": None, "padding": 0, "dilation": 1, "ceil_mode": False}
    rest["return_indices"] = False

    assert pool.normalized_arguments(traced) == ((layer, 2), rest)
    assert pool.normalized_arguments(traced, normalize_to_only_use_kwargs=True) == (
        (),
        {"input": layer, "kernel_size": 2, **rest},
    )
    assert layer.normalized_arguments(traced, normalize_to_only_use_kwargs=True) == (
        (),
        {"input": by_name["x"]},
    )
    assert cat.normalized_arguments(traced) == (([pool, pool],), {"dim": 1})
    for name in ("x", "flatten", "add", "output"):
        assert by_name[name].normalized_arguments(traced) is None


def test_what_tells_no_names_or_does_not_fit_is_none():
    assert normalize_function(gb.einsum, ("i->", 1)) is None
    assert normalize_function(F.linear, ()) is None
    assert normalize_function(F.linear, (1, 2), {"bias": 3}, normalize_to_only_use_kwargs=True) == (
        ArgsKwargsPair((), {"input": 1, "weight": 2, "bias": 3})
    )
    with pytest.raises(TypeError, match="normalize_function: target"):
        normalize_function("linear", ())
    with pytest.raises(RuntimeError, match="normalize_module: target 'nothing'"):
        normalize_module(Model(), "nothing", ())
    with pytest.raises(TypeError, match="normalize_module: root"):
        normalize_module(3, "layer", ())


def test_a_tracer_finds_a_name_that_is_free():
    tracer = fx.Tracer()
    tracer.trace(Model())
    tracer.root.constant0 = 1

    assert tracer.get_fresh_qualname("constant") == "constant1"
    assert tracer.get_fresh_qualname("other") == "other0"
    with pytest.raises(TypeError, match="prefix"):
        tracer.get_fresh_qualname(3)

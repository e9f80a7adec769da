"""Modules in modules in modules: what it costs to build and to walk them."""

from __future__ import annotations

import sys

import garboard as gb
import pytest


def nest(depth: int) -> gb.nn.Module:
    module: gb.nn.Module = gb.nn.Linear(1, 1)
    for _ in range(depth):
        module = gb.nn.Sequential(module)
    return module


def calls_of(depth: int) -> int:
    """How often Python begins a function, or goes on with one, while such a nest is made."""
    begun = [0]

    def count(_: object, event: str, __: object) -> None:
        begun[0] += event == "call"

    sys.setprofile(count)
    try:
        [*nest(depth).parameters()]
    finally:
        sys.setprofile(None)
    return begun[0]


def test_twice_as_deep_a_nest_takes_twice_as_long():
    calls_of(1)  # what is imported once
    assert calls_of(800) < 2.2 * calls_of(400)


def test_modules_below_any_depth_are_found():
    module = nest(5000)

    assert len([*module.modules()]) == 5001
    assert [name.count(".") for name, _ in module.named_parameters()] == [5000, 5000]
    assert module.double().eval().training is False


def test_a_module_is_refused_below_itself_at_any_depth():
    inner = gb.nn.Sequential(gb.nn.Linear(1, 1))
    outer = gb.nn.Sequential(gb.nn.Sequential(inner))

    for module in (inner, outer):
        with pytest.raises(ValueError, match="a module cannot contain itself"):
            inner.append(module)


def test_a_module_that_holds_itself_by_force_is_walked_once():
    module = nest(2)
    vars(module[0])["0"] = module

    assert len([*module.modules()]) == 2
    assert len([*module.named_modules(remove_duplicate=False)]) == 2


def test_a_module_that_was_built_in_a_scope_comes_home_with_all_below_it():
    outer = gb.nn.ModuleList()
    with gb.dispose_scope():
        outer.append(nest(3))

    assert [it.is_disposed for it in outer.parameters()] == [False, False]
    outer.dispose()


@pytest.mark.parametrize(
    "work",
    [
        repr,
        lambda it: it.state_dict(),
        lambda it: it.apply(lambda module: None),
        lambda it: it._apply(lambda tensor: tensor),
    ],
    ids=["repr", "state_dict", "apply", "_apply"],
)
def test_what_recurses_says_how_deep_a_nest_is(work):
    module = nest(5000)

    with pytest.raises(gb.GarboardError, match=r": Sequential holds modules \d+ levels deep; "):
        work(module)


def test_a_recursion_of_the_callers_own_is_told_as_it_is():
    def endless(module: gb.nn.Module) -> None:
        endless(module)

    with pytest.raises(RecursionError):
        nest(3).apply(endless)

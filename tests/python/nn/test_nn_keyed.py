"""Modules and parameters by name and place, members by path, hooks with named arguments."""

from __future__ import annotations

import copy
from collections import OrderedDict

import garboard as gb
import pytest
from garboard import nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestModuleDict:
    def test_holds_modules_by_name(self):
        held = nn.ModuleDict({"a": nn.Linear(2, 2)})
        held.update([("b", nn.ReLU())])
        held["c"] = nn.Tanh()

        assert list(held.keys()) == list(held) == ["a", "b", "c"]
        assert [type(it).__name__ for it in held.values()] == ["Linear", "ReLU", "Tanh"]
        assert "b" in held
        assert 3 not in held
        assert list(held.state_dict()) == ["a.weight", "a.bias"]
        assert held["a"](gb.ones(1, 2)).shape == (1, 2)
        assert isinstance(held.pop("b"), nn.ReLU)
        del held["c"]
        assert len(held) == 1
        held.clear()
        assert dict(held.items()) == {}

    @pytest.mark.parametrize(
        ("act", "error", "message"),
        [
            (lambda it: it["x"], KeyError, r"ModuleDict: no module 'x'; there are \['a'\]"),
            (lambda it: it.__setitem__("b", 3), TypeError, "a Module or None is needed"),
            (lambda it: it.__setitem__("b.c", nn.ReLU()), ValueError, "without dots"),
            (lambda it: it.__setitem__("keys", nn.ReLU()), ValueError, "no attribute is needed"),
            (lambda it: it.update(3), TypeError, "ModuleDict.update: what is of type int"),
            (lambda it: it.update([("a",)]), ValueError, "item 0 has 1 parts; a pair is needed"),
        ],
    )
    def test_says_what_does_not_fit(self, act, error, message):
        held = nn.ModuleDict({"a": nn.ReLU()})

        with pytest.raises(error, match=message):
            act(held)


class TestParameters:
    def test_of_a_dict_stand_in_the_order_of_their_names_and_others_as_they_were_given(self):
        pairs = [("b", gb.ones(1)), ("a", gb.ones(2))]
        held = nn.ParameterDict(dict(pairs))

        assert list(held) == ["a", "b"]
        assert [name for name, _ in held.named_parameters()] == ["a", "b"]
        for given in (pairs, OrderedDict(pairs), nn.ParameterDict(pairs)):
            assert list(nn.ParameterDict(given)) == ["b", "a"]
        held.update({"d": gb.ones(1), "c": gb.ones(1)})
        assert list(held) == ["a", "b", "c", "d"]

    def test_are_held_by_name(self):
        held = nn.ParameterDict({"a": gb.ones(2)})
        held["b"] = nn.Parameter(gb.zeros(1), requires_grad=False)

        assert [name for name, _ in held.named_parameters()] == ["a", "b"]
        assert isinstance(held["a"], nn.Parameter)
        assert held.get("c") is None
        assert repr(held).count("Parameter containing") == 2
        assert held.pop("a").tolist() == [1.0, 1.0]

    def test_are_joined_copied_and_taken_out_as_from_a_dict(self):
        held = nn.ParameterDict({"a": gb.ones(2)})

        both = held | {"b": gb.zeros(1)}
        held |= nn.ParameterDict({"c": gb.zeros(3)})

        assert list(both) == ["a", "b"]
        assert both["a"] is held["a"]
        assert list(reversed(held)) == ["c", "a"]
        assert held.popitem()[0] == "c"
        assert held.setdefault("a", gb.zeros(9)).numel() == 2
        assert list(held.copy()) == ["a"]
        alike = held.fromkeys(["x", "y"], gb.ones(1))
        assert alike["x"] is alike["y"]
        held.clear()
        with pytest.raises(KeyError, match=r"ParameterDict\.popitem: there are no parameters"):
            held.popitem()

    def test_are_held_by_place(self):
        held = nn.ParameterList([gb.ones(2)])
        held.append(gb.zeros(1))
        held += [gb.ones(3)]
        held[0] = gb.zeros(2)

        assert [it.numel() for it in held] == [2, 1, 3]
        assert held[-1].requires_grad
        assert len(held[1:]) == 2
        assert list(held.state_dict()) == ["0", "1", "2"]
        with pytest.raises(IndexError, match="ParameterList: index 3 of 3 parameters"):
            held[3]
        for wrong in (3, gb.ones(2)):
            with pytest.raises(TypeError, match=r"ParameterList\.extend: values is of type"):
                held.extend(wrong)

    def test_stand_in_lists_beside_other_things(self):
        inner = nn.ParameterList([gb.ones(2), gb.ones(1)])
        held = nn.ParameterList([inner, gb.zeros(3), 4, None])
        held.append(nn.Linear(1, 1, bias=False))
        held[2] = "four"

        again = copy.deepcopy(held)

        assert list(held.state_dict()) == ["1", "0.0", "0.1", "4.weight"]
        assert held[0] is inner
        assert [type(it).__name__ for it in again] == [
            *("ParameterList", "Parameter", "str", "NoneType", "Linear")
        ]
        assert held[2:4][0] == "four"
        assert "(2): Object of type: str" in repr(held)
        with pytest.raises(TypeError, match="a value of type int for the parameter '1'"):
            held[1] = 3
        assert len(held) == 5

    def test_stand_in_dicts_beside_other_things(self):
        held = nn.ParameterDict({"a": gb.ones(2), "n": 3, "inner": nn.ParameterList([gb.ones(1)])})
        held["n"] = 4
        held["m"] = None
        held["m"] = gb.zeros(1)
        held.own = nn.Parameter(gb.ones(1))

        assert list(held.items())[2] == ("n", 4)
        assert list(held.copy()) == list(held) == ["a", "inner", "n", "m"]
        assert [name for name, _ in held.named_parameters()] == ["a", "m", "own", "inner.0"]
        assert "own" not in held
        assert held.pop("n") == 4
        assert held.setdefault("n") is None
        del held["a"], held.m
        assert list(copy.deepcopy(held)) == ["inner", "n"]
        with pytest.raises(ValueError, match="ParameterDict: the name 'keys'"):
            held["keys"] = 3
        with pytest.raises(KeyError, match="no parameter 'a'"):
            held["a"]
        held.clear()
        assert len(held) == 0

    def test_may_be_buffers_that_become_parameters(self):
        held = nn.ParameterList([nn.Buffer(gb.ones(1))])

        assert isinstance(held[0], nn.Parameter)


class TestMembersByPath:
    def test_are_found(self):
        model = nn.Sequential(nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1)))

        assert model.get_submodule("0.0") is model[0][0]
        assert model.get_submodule("") is model
        assert model.get_parameter("0.0.bias") is model[0][0].bias
        assert model.get_buffer("0.1.running_var") is model[0][1].running_var

    @pytest.mark.parametrize(
        ("ask", "message"),
        [
            (
                lambda it: it.get_submodule("0.5"),
                r"Linear has no module '5', of '0.5'; there are",
            ),
            (lambda it: it.get_parameter("0.wait"), r"no 'wait'; there are \['weight', 'bias'\]"),
            (lambda it: it.get_buffer("0.weight"), r"Linear has no 'weight'; there are \[\]"),
        ],
    )
    def test_that_are_missing_are_named_with_what_is_there(self, ask, message):
        model = nn.Sequential(nn.Linear(2, 1))

        with pytest.raises(AttributeError, match=message):
            ask(model)


class Scaled(nn.Module):
    def forward(self, x, *, by=1):
        if by == 0:
            raise ZeroDivisionError("by")
        return x * by


class TestHooks:
    def test_see_and_replace_named_arguments(self):
        model = Scaled()
        seen = []
        model.register_forward_pre_hook(
            lambda of, args, kwargs: (args, {"by": kwargs["by"] + 1}), with_kwargs=True
        )
        model.register_forward_hook(
            lambda of, args, kwargs, output: seen.append((kwargs, output.item())), with_kwargs=True
        )

        model(gb.tensor(2.0), by=2)

        assert seen == [({"by": 3}, 6.0)]

    def test_may_come_first_and_where_forward_raises(self):
        model = Scaled()
        seen = []
        model.register_forward_hook(lambda *given: seen.append("second"))
        first = model.register_forward_hook(lambda *given: seen.append("first"), prepend=True)
        model.register_forward_hook(
            lambda of, args, output: seen.append(output is None), always_call=True
        )

        model(gb.ones(1))
        first.remove()
        with pytest.raises(ZeroDivisionError):
            model(gb.ones(1), by=0)

        assert seen == ["first", "second", False, True]

    def test_that_return_no_pair_are_refused(self):
        model = Scaled()
        model.register_forward_pre_hook(lambda of, args, kwargs: args, with_kwargs=True)

        with pytest.raises(TypeError, match="Scaled: a forward pre-hook with kwargs returned what"):
            model(gb.ones(1))


def test_a_dim_is_made_several():
    assert nn.Unflatten(-1, (2, -1))(gb.zeros(4, 6)).shape == (4, 2, 3)
    with pytest.raises(gb.ShapeError, match="Unflatten: dim 2 of sizes"):
        nn.Unflatten(2, (2, 3))(gb.zeros(4, 6))

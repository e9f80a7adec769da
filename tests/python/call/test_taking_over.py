"""Classes with a `__torch_function__`: they take over the calls that the engine refuses."""

from __future__ import annotations

from typing import Any, ClassVar

import garboard as gb
import pytest
from garboard.nn import functional

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Named:
    """A tensor with a name, after PyTorch's guide to such classes."""

    answers: ClassVar[dict[Any, Any]] = {}

    def __init__(self, name: str = "x") -> None:
        self.value, self.name = gb.tensor([1.0, 3.0]), name

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in cls.answers:
            return NotImplemented
        return cls.answers[func](*args, **kwargs)


class Other(Named):
    answers: ClassVar[dict[Any, Any]] = {gb.add: lambda a, b: "other"}


Named.answers = {
    gb.mean: lambda x, dim: x.value.mean(dim),
    gb.add: lambda a, b: "named",
    gb.sub: lambda a, b: "named",
    gb.cat: lambda tensors, dim=0: [it.name for it in tensors],
    gb.Tensor.mul: lambda a, b: ("method", b.name),
    functional.gelu: lambda x: "gelu",
}


class TestAClassWithTheProtocol:
    def test_is_called_with_the_function_and_what_it_was_given(self):
        seen: list[Any] = []

        class Seeing:
            @classmethod
            def __torch_function__(cls, *given):
                seen.extend(given)

        one = Seeing()

        assert gb.mean(one, dim=0) is None
        assert seen == [gb.mean, (Seeing,), (one,), {"dim": 0}]

    def test_returns_what_it_returns(self):
        assert gb.mean(Named(), dim=0).item() == 2.0

    def test_is_found_behind_tensors_in_lists_and_in_methods(self):
        assert gb.add(gb.ones(2), Named()) == "named"
        assert gb.cat([Named("a"), Named("b")]) == ["a", "b"]
        assert gb.ones(2).mul(Named()) == ("method", "x")
        assert functional.gelu(Named()) == "gelu"

    def test_leaves_a_call_to_the_next_one(self):
        assert gb.sub(Other(), Named()) == "named"

    def test_is_asked_before_those_that_it_is_made_of(self):
        assert gb.add(Named(), Other()) == "other"
        assert gb.add(Other(), Named()) == "other"

    def test_that_answers_not_implemented_leaves_the_engines_error(self):
        with pytest.raises(TypeError, match=r"^exp: input is of type Named; a Tensor is needed$"):
            gb.exp(Named())

    def test_raises_what_it_raises(self):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'dim'"):
            gb.mean(Named())

    def test_is_not_asked_about_other_errors(self):
        with pytest.raises(gb.ShapeError):
            gb.add(gb.ones(2), gb.ones(3))
        with pytest.raises(TypeError, match="no parameter is named 'axes'"):
            gb.mean(gb.ones(2), axes=0)


class TestWhatTakesNothingOver:
    def test_calls_the_function_as_it_is(self):
        protocol = gb.nn.Parameter.__torch_function__

        found = protocol(gb.add, (), (gb.ones(2), 1), {"alpha": 2})

        assert found.tolist() == [3.0, 3.0]

    def test_lets_no_other_class_take_the_call(self):
        class Taking(gb.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                raise AssertionError("it was asked")

        x = gb.ones(2).as_subclass(Taking)

        assert gb.nn.Parameter.__torch_function__(gb.add, (Taking,), (x, 1)).tolist() == [2.0, 2.0]

    @pytest.mark.parametrize(
        ("given", "words"),
        [((gb.add,), "argument"), ((gb.add, (), (), 3), "kwargs is of type int"), ((), "argument")],
    )
    def test_refuses_other_arguments(self, given, words):
        with pytest.raises(TypeError, match=words):
            gb.nn.Parameter.__torch_function__(*given)

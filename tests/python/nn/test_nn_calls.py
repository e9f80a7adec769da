"""What calling a module runs: its `forward`, wherever that comes from, and no code of ours."""

from __future__ import annotations

import inspect
import sys
import traceback
from typing import Any
from unittest import mock

import garboard as gb
import pytest


class Told(gb.nn.Module):
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return args, kwargs


@pytest.mark.parametrize("count", [0, 1, 7, 8, 20])
@pytest.mark.parametrize("names", [(), ("input",), ("a", "b", "self_")])
def test_forward_gets_what_the_call_was_given(count, names):
    named = dict.fromkeys(names, 1)

    assert Told()(*range(count), **named) == (tuple(range(count)), named)


def test_an_error_in_forward_has_the_lines_of_the_program_alone():
    class Failing(gb.nn.Module):
        def forward(self, x: gb.Tensor) -> gb.Tensor:
            raise ArithmeticError(str(x.shape))

    class Outer(gb.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Failing()

        def forward(self, x: gb.Tensor) -> gb.Tensor:
            return self.inner(x)

    with pytest.raises(ArithmeticError) as raised:
        Outer()(gb.ones(2))

    names = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert names[1:] == ["forward", "forward"]


def test_a_forward_put_on_the_module_is_what_a_call_runs_until_it_is_taken_away():
    layer = gb.nn.ReLU()
    layer.forward = lambda x: x * 2

    assert layer(gb.tensor([-1.0])).tolist() == [-2.0]
    assert not layer._is_called_plainly()
    del layer.forward
    assert layer(gb.tensor([-1.0])).tolist() == [0.0]
    assert layer._is_called_plainly()


def test_a_forward_need_not_be_a_plain_function():
    class Static(gb.nn.Module):
        @staticmethod
        def forward(x: int) -> int:
            return x + 1

    class OfTheClass(gb.nn.Module):
        @classmethod
        def forward(cls, x: int) -> Any:
            return cls.__name__, x

    class Called(gb.nn.Module):
        forward = Told()

    assert Static()(1) == 2
    assert OfTheClass()(1) == ("OfTheClass", 1)
    assert Called()(1, a=2) == ((1,), {"a": 2})


def test_a_class_that_answers_for_all_its_attributes_is_asked_for_forward():
    class Answering(gb.nn.Module):
        def __getattribute__(self, name: str) -> Any:
            return (lambda x: x - 1) if name == "forward" else super().__getattribute__(name)

        def forward(self, x: int) -> int:
            return x

    assert Answering()(1) == 0


def test_a_forward_may_replace_itself_while_it_runs(no_leaks):
    class Changing(gb.nn.Module):
        def forward(self, x: gb.Tensor) -> gb.Tensor:
            Changing.forward = lambda self, x: x * 3
            return x * 2

    layer = Changing()

    assert [layer(gb.ones(1)).item(), layer(gb.ones(1)).item()] == [2.0, 3.0]


def test_hooks_of_the_class_of_every_module_and_of_one_are_seen_at_once():
    class Hooked(gb.nn.Identity):
        pass

    layer, seen, of_most = Hooked(), [], gb.nn.Module._forward_hooks
    one = layer.register_forward_hook(lambda *given: seen.append("own"))
    every = gb.nn.modules.module.register_module_forward_hook(lambda *given: seen.append("every"))
    layer(1)
    one.remove()
    layer(1)
    assert not layer._is_called_plainly()
    every.remove()
    layer(1)

    assert seen == ["every", "own", "every"]
    assert layer._is_called_plainly()
    assert gb.nn.Module._forward_hooks is of_most  # no call looks for hooks any more


def test_a_call_leaves_no_reference_behind():
    layer, given = Told(), object()
    for _ in range(3):
        layer(given, name=given)
    before = sys.getrefcount(given), sys.getrefcount(layer), sys.getrefcount(Told.forward)

    for _ in range(100):
        layer(given, name=given)

    after = sys.getrefcount(given), sys.getrefcount(layer), sys.getrefcount(Told.forward)
    assert after == before


def test_a_module_that_calls_itself_for_ever_is_a_recursion_error():
    class Endless(gb.nn.Module):
        def forward(self, x: int) -> Any:
            return self(x + 1)

    with pytest.raises(RecursionError):
        Endless()(0)


@pytest.mark.parametrize("call", [lambda: gb.nn.Module()(1), lambda: gb.nn.ReLU()()])
def test_a_module_without_forward_or_with_too_few_arguments_says_so(call):
    with pytest.raises((NotImplementedError, TypeError), match="forward"):
        call()


def test_the_signature_of_a_module_is_that_of_its_call_and_of_a_class_that_of_its_init():
    class Called(Told):
        def __call__(self, x: int, scale: float = 1.0) -> Any:
            return super().__call__(x, scale=scale)

    assert str(inspect.signature(gb.nn.Linear(2, 1))) == "(*args, **kwargs)"
    assert list(inspect.signature(Called()).parameters) == ["x", "scale"]
    assert list(inspect.signature(gb.nn.Identity).parameters) == ["args", "kwargs"]
    assert "in_features" in inspect.signature(gb.nn.Linear).parameters


class TestWhatAProgramPutsInPlaceOfAPartsCall:
    ROW = (2, 2)

    def model(self) -> gb.nn.Sequential:
        gb.manual_seed(0)
        return gb.nn.Sequential(
            gb.nn.Linear(2, 2),
            gb.nn.ReLU(),
            gb.nn.Sequential(gb.nn.Linear(2, 2), gb.nn.ELU()),
        )

    @pytest.mark.parametrize(
        ("kind", "name", "times"),
        [
            *(("Linear", "__call__", 2), ("Linear", "forward", 2)),
            *(("ReLU", "__call__", 1), ("ReLU", "forward", 1)),
            *(("ELU", "__call__", 1), ("ELU", "forward", 1)),
            *(("Sequential", "__call__", 2), ("Sequential", "forward", 2)),
            ("Module", "__call__", 6),
        ],
    )
    def test_it_is_called_as_often_as_the_part_is(self, kind, name, times):
        kind = getattr(gb.nn, kind)
        seen, plain = [], getattr(kind, name)

        def instead(self: Any, *args: Any) -> Any:
            seen.append(self)
            return plain(self, *args)

        model, x = self.model(), gb.tensor([self.ROW], dtype=gb.float32)
        before = model(x).tolist()
        with mock.patch.object(kind, name, instead):
            patched = model(x).tolist()

        assert patched == before
        assert len(seen) == times
        assert model(x).tolist() == before
        assert len(seen) == times

    def test_a_mock_on_one_part_alone_is_called(self):
        model, x = self.model(), gb.ones(1, 2)

        with (
            mock.patch.object(model[1], "forward", side_effect=gb.neg) as first,
            mock.patch.object(model[2], "forward", side_effect=gb.neg) as second,
        ):
            assert model(x).tolist() == model[0](x).tolist()

        assert (first.call_count, second.call_count) == (1, 1)

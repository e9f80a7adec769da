"""A module that is asked for an attribute by `__getattr__`, as PyTorch's programs ask."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard import nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Levels(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        for level in range(2):
            setattr(self, f"level_{level}", nn.Linear(2, 2))

    def forward(self, x: gb.Tensor) -> gb.Tensor:
        for level in range(2):
            x = self.__getattr__(f"level_{level}")(x)
        return x


class Wrapper(nn.Module):
    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)


class Broken(nn.Module):
    @property
    def width(self) -> int:
        return self.wdith  # the mistake that has to be told


def test_gives_its_modules_and_parameters():
    model = Levels()

    assert model(gb.ones(1, 2)).shape == (1, 2)
    assert model.__getattr__("level_1") is model.level_1
    assert model.level_0.__getattr__("weight") is model.level_0.weight


def test_leaves_the_rest_to_a_subclass():
    wrapper = Wrapper(nn.Linear(2, 3))

    assert wrapper.out_features == 3
    assert wrapper.module.weight is wrapper.weight
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'nothing'"):
        wrapper.nothing  # noqa: B018


class Positive(nn.Module):
    """Its weight is kept as a logarithm, and read as a number above zero."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(gb.zeros(2))

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        return found.exp() if isinstance(found, nn.Parameter) else found


def test_asks_a_subclass_for_what_is_registered():
    model = Positive()

    (model.weight * gb.tensor([1.0, 2.0])).sum().backward()

    assert model.weight.tolist() == [1, 1]
    (kept,) = model.parameters()
    assert kept.tolist() == [0, 0]
    assert kept.grad is not None
    assert kept.grad.tolist() == [1, 2]
    assert list(model.state_dict()) == ["weight"]


def test_asks_a_subclass_once_for_what_stands_in_no_table():
    class Counts(nn.Module):
        asked: tuple[str, ...] = ()

        def __getattr__(self, name: str) -> Any:
            Counts.asked += (name,)
            return super().__getattr__(name)

    model = Counts()
    model.rate, model.inner = 3, nn.Linear(1, 1)

    assert (model.rate, type(model.inner)) == (3, nn.Linear)
    assert Counts.asked == ("inner",)


def test_says_what_is_missing_where_it_is_missing():
    with pytest.raises(AttributeError, match="'Broken' object has no attribute 'wdith'"):
        Broken().width  # noqa: B018
    with pytest.raises(AttributeError, match=r"so leave it out"):
        nn.Linear(1, 1).share_memory  # noqa: B018
    assert not hasattr(nn.Linear(1, 1), "wieght")


def test_a_table_deletes_without_the_attribute_deletion_of_a_subclass():
    class Asks(nn.Module):
        def __delattr__(self, name):
            del self._parameters[name]

    model = Asks()
    model.weight = nn.Parameter(gb.ones(1))

    del model.weight

    assert list(model.parameters()) == []


def test_members_of_a_programs_own_are_found_by_paths():
    model = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.Linear(1, 1)))

    found = model._named_members(lambda it: [("kind", type(it))], remove_duplicate=False)

    assert [path for path, _ in found] == ["kind", "0.kind", "1.kind", "1.0.kind"]
    assert len(list(model._named_members(lambda it: it._parameters.items()))) == 4
    assert list(model._named_members(lambda it: it._parameters.items(), recurse=False)) == []

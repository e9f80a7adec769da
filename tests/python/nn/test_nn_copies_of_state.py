"""Modules of classes that say themselves what is copied, as for pickles."""

from __future__ import annotations

import pickle
from copy import copy, deepcopy

import garboard as gb
import pytest

pytestmark = pytest.mark.no_leaks


class Counting(gb.nn.Module):
    """Has a method that is wrapped for each object, as metrics have, which no state holds."""

    def __init__(self):
        super().__init__()
        self.layer = gb.nn.Linear(2, 1)
        self.seen = []
        self._wrap()

    def _wrap(self):
        plain = type(self).update
        self.update = lambda x: plain(self, x)

    def update(self, x):
        self.seen.append(x)

    def __getstate__(self):
        return {name: it for name, it in self.__dict__.items() if name != "update"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._wrap()


class Numbered(gb.nn.Module):
    """Is made anew by a call, with what that needs."""

    def __init__(self, size):
        super().__init__()
        self.size, self.weight = size, gb.nn.Parameter(gb.ones(size))

    def __reduce__(self):
        return Numbered, (self.size,)


@pytest.mark.parametrize("copied", [copy, deepcopy])
def test_a_copy_has_the_state_that_its_class_says(copied):
    first = Counting()
    second = copied(first)

    second.update(1)
    if copied is deepcopy:
        assert first.seen == []
        assert second.layer.weight is not first.layer.weight
        assert second.layer.weight.tolist() == first.layer.weight.tolist()
    else:
        assert second.layer is first.layer
        second.extra = gb.nn.Linear(1, 1)
        assert not hasattr(first, "extra")
    assert second.seen == [1]
    assert [name for name, _ in second.named_parameters()][:2] == ["layer.weight", "layer.bias"]
    assert len(second._parameters) == 0
    assert next(iter(second._modules)) == "layer"


def test_a_copy_in_depth_keeps_what_is_shared_and_what_leads_back():
    first = Counting()
    first.me = [first]
    both = gb.nn.ModuleList([first, first])

    copied = deepcopy(both)

    assert copied[0] is copied[1]
    assert copied[0].me[0] is copied[0]
    del copied[0].me, first.me


def test_a_copy_is_made_by_the_call_that_its_class_names():
    first = Numbered(3)
    with gb.no_grad():
        first.weight.mul_(5)

    assert deepcopy(first).weight.tolist() == [1, 1, 1]
    assert copy(first).weight.tolist() == [1, 1, 1]


def test_a_traced_module_is_copied_by_its_dict():
    traced = gb.fx.symbolic_trace(gb.nn.Sequential(gb.nn.Linear(2, 1)))
    traced.note = ["kept"]

    copied = deepcopy(traced)

    assert copied.note == ["kept"]
    assert copied.note is not traced.note
    assert copied(gb.ones(1, 2)).tolist() == traced(gb.ones(1, 2)).tolist()
    for module in (traced, gb.nn.Linear(1, 1), Counting()):
        with pytest.raises(TypeError, match="deepcopy: memo"):
            module.__deepcopy__(gb.ones(2).storage())
    with pytest.raises(TypeError, match="delete_submodule: target"):
        traced.delete_submodule(traced)


class Compiled(gb.nn.Module):
    """Leaves out a submodule that it makes anew, through the dicts of the base's state."""

    def __init__(self):
        super().__init__()
        self.layer = gb.nn.Linear(2, 1)
        self.made = gb.nn.ReLU()

    def __getstate__(self):
        state = super().__getstate__().copy()
        state["_modules"] = state["_modules"].copy()
        del state["_modules"]["made"]
        state["note"] = "a"
        return state

    def __setstate__(self, state):
        state = state.copy()
        self.missing = "made" not in state["_modules"]
        super().__setstate__(state)
        assert list(self._modules) == ["layer"]
        self.made = gb.nn.ReLU()


@pytest.mark.parametrize(
    "copied",
    [copy, deepcopy, lambda it: pickle.loads(pickle.dumps(it))],
    ids=["", "deep", "pickle"],
)
def test_a_class_may_change_the_dicts_of_the_state(copied):
    first = Compiled()

    second = copied(first)

    assert second.missing
    assert second.note == "a"
    assert list(second._modules) == ["layer", "made"]
    assert second.made is not first.made
    assert second.layer.weight.tolist() == first.layer.weight.tolist()
    assert list(first._modules) == ["layer", "made"]


def test_what_is_no_state_is_refused():
    with pytest.raises(TypeError, match="a dict is needed"):
        gb.nn.Linear(1, 1).__setstate__(gb.ones(1))

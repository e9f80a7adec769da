"""What programs set on a tensor is there again, and keeps nothing alive that nobody else does."""

from __future__ import annotations

import copy
import gc
import types
import weakref

import garboard as gb
import pytest
from garboard._names.torch_names import ADVICE

pytestmark = pytest.mark.usefixtures("no_leaks")


class TestAnAttribute:
    def test_is_found_as_it_was_set(self):
        x = gb.ones(2)

        x.require_grad = False
        x.note = [1]

        assert x.note == [1]
        assert gb._engine._set_attributes(x) == {"require_grad": False, "note": [1]}

    def test_is_gone_once_it_is_deleted(self):
        x = gb.ones(2)
        x.note = 1

        del x.note

        with pytest.raises(AttributeError, match="no attribute 'note'"):
            x.note  # noqa: B018

    def test_does_not_hide_what_every_tensor_has(self):
        x = gb.ones(2)

        with pytest.raises(AttributeError, match="not writable"):
            x.shape = (3,)  # type: ignore[misc, assignment]

    @pytest.mark.parametrize("name", ["sum", "__len__", "__call__"])
    def test_takes_no_methods_place(self, name):
        x = gb.ones(2)

        with pytest.raises(AttributeError, match=name):
            setattr(x, name, lambda: 3)

        assert not callable(gb.ones(1))

    def test_may_have_a_name_that_is_missing_here(self):
        x = gb.ones(2)
        name = next(it for it in ADVICE["garboard.Tensor"] if not it.startswith("_"))

        setattr(x, name, 3)

        assert getattr(x, name) == 3
        with pytest.raises(AttributeError, match="is not in garboard yet"):
            getattr(gb.ones(2), name)

    def test_is_listed_where_it_was_set(self):
        x = gb.ones(2)
        x.note = 1

        assert "note" in dir(x)
        assert "note" not in dir(gb.ones(2))

    def test_is_of_one_handle(self):
        x = gb.ones(2)
        x.note = 1

        assert not hasattr(x.alias(), "note")

    def test_ends_with_its_tensor(self):
        for number in range(2000):
            gb.ones(1).note = number

        assert not any(hasattr(gb.ones(1), "note") for _ in range(2000))

    def test_that_refers_to_its_tensor_is_collected(self):
        x = gb.ones(2)
        x.note = {"self": x}
        seen = weakref.ref(x)

        del x
        gc.collect()

        assert seen() is None

    def test_that_refers_to_its_tensor_by_the_result_of_an_op_is_collected(self):
        found = gb.ones(2, 2).cummax(0)
        found.indices.of = found
        assert gc.is_tracked(found)
        del found
        gc.collect()

    def test_that_was_collected_leaves_each_handle_to_one_tensor(self):
        for _ in range(4):
            x = gb.ones(2)
            x.note = x
            del x
        for _ in range(3):  # a handle that the collector still looked at would end once more
            gc.collect()

        fresh = [gb.empty(1) for _ in range(16)]

        assert len({id(it) for it in fresh}) == 16
        assert not any(type(it) is gb.Tensor for it in gc.get_objects() if it not in fresh)

    def test_is_copied_with_its_tensor(self):
        x = gb.ones(2)
        x.note = [gb.zeros(1)]

        found = copy.deepcopy(x)

        assert found.note[0].tolist() == [0]
        assert found.note[0] is not x.note[0]

    def test_of_a_buffer_stays_with_the_module(self):
        module = gb.nn.Module()
        table = gb.zeros(2)
        table.require_grad = False

        module.register_buffer("table", table)

        assert module.table.require_grad is False

    def test_of_a_subclass_is_in_its_dict(self):
        class Named(gb.Tensor):
            pass

        x = Named([1.0])
        x.note = 1

        assert vars(x) == {"note": 1}


def test_looking_for_attributes_makes_no_dict():
    x = gb.ones(2)

    assert gb._engine._set_attributes(x) is None
    assert not gc.is_tracked(x)


class TestDict:
    def test_has_what_was_set(self):
        x = gb.ones(1)
        assert vars(x) == {}

        x.note_of_dict = 1
        x.__dict__["other_of_dict"] = 2

        assert vars(x) == {"note_of_dict": 1, "other_of_dict": 2}
        assert x.note_of_dict == 1

    def test_is_given_to_another_tensor(self):
        x, y = gb.ones(1), gb.zeros(1)
        x.meta_of_dict = "a"

        y.__dict__ = x.__dict__
        x.later_of_dict = "b"

        assert (y.meta_of_dict, y.later_of_dict) == ("a", "b")

    def test_takes_the_place_of_what_was_set(self):
        x = gb.ones(1)
        x.former_of_dict = 1

        x.__dict__ = {"new_of_dict": 2}

        assert x.new_of_dict == 2
        assert not hasattr(x, "former_of_dict")

    def test_of_a_subclass_is_its_own(self):
        parameter = gb.nn.Parameter(gb.ones(1))
        parameter.own_of_dict = 1

        assert vars(parameter) == {"own_of_dict": 1}
        assert isinstance(vars(gb.Tensor)["__dict__"], types.GetSetDescriptorType)

    @pytest.mark.parametrize("given", [[1], {1: 2}, {"shape": 3}, {"sum": 3}])
    def test_refuses_other_things(self, given):
        x = gb.ones(1)

        with pytest.raises(TypeError, match="__dict__"):
            x.__dict__ = given

        assert x.shape == (1,)

    def test_ends_with_a_cycle_through_it(self):
        x = gb.ones(1)
        x.__dict__ = {"self_of_dict": x}
        weak = weakref.ref(x)

        del x
        gc.collect()

        assert weak() is None

"""Names that PyTorch has and garboard lacks: the error says what to use, and that holds."""

from __future__ import annotations

import copy
import pydoc
import re
from importlib import import_module
from typing import Any

import garboard as gb
import pytest
from garboard._names.homes import METHODS
from garboard._names.torch_names import ADVICE

NAMES = [(owner, name) for owner, names in ADVICE.items() for name in names]
TEXTS = sorted({advice for names in ADVICE.values() for advice in names.values() if advice})


def owner_of(path: str) -> Any:
    module, _, type_name = path.rpartition(".")
    return (
        getattr(import_module(module), type_name) if type_name[0].isupper() else import_module(path)
    )


class TestTheTable:
    @pytest.mark.parametrize("owner", ADVICE)
    def test_names_nothing_that_is_there(self, owner):
        there = [name for name in ADVICE[owner] if hasattr(owner_of(owner), name)]

        assert not there

    @pytest.mark.parametrize("text", TEXTS)
    def test_advises_what_is_there(self, text):
        for path in re.findall(r"\bgb((?:\.\w+)+)", text):
            found: Any = gb
            for name in path[1:].split("."):
                found = getattr(found, name)
        for path in re.findall(r"\b(?:nn|optim)\.(?:[A-Z]\w+)", text):
            assert eval(f"gb.{path}")
        for name in re.findall(r"(?<=x|\))\.(\w+)\(", text):
            assert hasattr(gb.Tensor, name)

    def test_makes_what_the_name_makes(self):
        known: dict[str, Any] = {"gb": gb, "data": [1, 2, 3]}

        made = eval(ADVICE["garboard"]["array"].removeprefix("use "), known)

        assert made.tolist() == [1, 2, 3]


class TestAModule:
    def test_says_what_stands_in_for_a_name(self):
        with pytest.raises(
            AttributeError, match=r"PyTorch's torch.nn.Container is not in garboard yet; use gb"
        ):
            gb.nn.Container  # noqa: B018
        with pytest.raises(
            AttributeError, match=r"NumPy's array is not in garboard yet; use gb.tens"
        ):
            gb.array  # noqa: B018

    def test_says_where_a_name_is(self):
        with pytest.raises(
            AttributeError, match=r"no attribute 'Linear'; it is garboard\.nn\.Linear"
        ):
            gb.Linear  # noqa: B018
        with pytest.raises(AttributeError, match=r"it is garboard\.optim\.Adam"):
            gb.nn.Adam  # noqa: B018

    def test_says_which_name_was_meant(self):
        with pytest.raises(AttributeError, match=r"no attribute 'zeroes'; did you mean 'zeros'"):
            gb.zeroes  # noqa: B018
        with pytest.raises(AttributeError, match=r"'AdmaW'; did you mean 'AdamW'"):
            gb.optim.AdmaW  # noqa: B018
        with pytest.raises(AttributeError, match=r"no attribute 'qqqq'$"):
            gb.qqqq  # noqa: B018

    def test_says_it_to_an_import_too(self):
        with pytest.raises(ImportError, match=r"PyTorch's torch.nested is not in garboard yet"):
            from garboard import nested  # noqa: F401
        with pytest.raises(ImportError, match="did you mean 'Linear'"):
            from garboard.nn import Liner  # noqa: F401

    def test_answers_a_question_for_a_name(self):
        assert not hasattr(gb, "nested")
        assert getattr(gb, "nested", None) is None

    def test_gives_private_names_no_thought(self):
        with pytest.raises(
            AttributeError, match=r"^module 'garboard' has no attribute '__wrapped__'$"
        ):
            gb.__wrapped__  # noqa: B018

    @pytest.mark.parametrize(
        "owner", [owner for owner in ADVICE if not owner.split(".")[-1][0].isupper()]
    )
    def test_answers_wherever_pytorch_has_one(self, owner):
        name = next(iter(ADVICE[owner]))

        with pytest.raises(AttributeError, match=rf"torch.*{name} is not in garboard yet"):
            getattr(import_module(owner), name)


class TestWhatAModuleLists:
    @pytest.mark.parametrize("module", [gb.memory, gb.nn, gb.cuda, gb.utils.data, gb.distributions])
    def test_is_what_it_offers_and_not_what_it_uses(self, module):
        listed = dir(module)

        assert set(module.__all__) <= set(listed)
        assert not {"TYPE_CHECKING", "annotations", "module_getattr", "sys"} & set(listed)
        assert all(hasattr(module, name) for name in listed)

    def test_has_submodules_when_they_are_loaded(self):
        assert {"kl", "transforms"} <= set(dir(gb.distributions))
        assert "functional" in dir(gb.nn)


class TestATensor:
    def test_says_what_stands_in_for_a_method(self):
        x = gb.ones(2)

        with pytest.raises(AttributeError, match=r"'Tensor' object has no attribute 'gelu': PyT"):
            x.gelu  # noqa: B018
        with pytest.raises(AttributeError, match=r"NumPy's astype .*; use x.to\(dtype\)"):
            gb.nn.Parameter(x).astype  # noqa: B018
        with pytest.raises(AttributeError, match=r"'resahpe'$"):
            x.resahpe  # noqa: B018

    def test_lacks_the_name_for_all_who_ask(self):
        x = gb.ones(2)

        assert not hasattr(x, "to_mkldnn")
        assert not hasattr(gb.Tensor, "to_mkldnn")
        assert "to_mkldnn" not in dir(x)
        assert "reshape" in dir(x)
        assert "to_mkldnn" not in dir(gb.nn.Parameter(x))

    def test_lets_a_subclass_define_the_name(self):
        class Mine(gb.Tensor):
            def to_mkldnn(self) -> int:
                return 3

        x = Mine([1.0])
        x.coalesce = 5

        assert (x.to_mkldnn(), x.coalesce) == (3, 5)
        assert {"to_mkldnn", "coalesce"} <= set(dir(x))

    def test_is_found_as_fast_as_ever(self):
        assert "__getattr__" not in vars(gb.Tensor)
        assert gb.Tensor.__getattribute__ is object.__getattribute__

    def test_is_copied_and_documented_as_before(self):
        assert copy.deepcopy(gb.ones(2)).tolist() == [1, 1]
        assert "reshape" in pydoc.plain(pydoc.render_doc(gb.Tensor))


class TestANetwork:
    def test_says_what_stands_in_for_a_method(self):
        model = gb.nn.Linear(1, 1)

        with pytest.raises(
            AttributeError, match=r"'Linear' .* PyTorch's nn.Module.share_memory is not"
        ):
            model.share_memory()
        assert not hasattr(model, "share_memory")
        assert "share_memory" not in dir(model)
        assert "weight" in dir(model)

    def test_has_every_name_that_its_class_lists(self):
        listed = dir(gb.nn.Linear)

        assert [name for name in listed if not hasattr(gb.nn.Linear, name)] == []

    def test_takes_a_part_of_that_name(self):
        model = gb.nn.Sequential()
        model.share_memory = gb.nn.Linear(1, 1)

        assert model.share_memory(gb.ones(1, 1)).shape == (1, 1)
        assert "share_memory" in dir(model)
        assert [name for name, _ in model.named_children()] == ["share_memory"]


class TestAModuleThatIsMissing:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("garboard.nested", "PyTorch's torch.nested is not in garboard yet"),
            ("garboard.utils.bottleneck", "not in garboard yet; use gb.profiler"),
        ],
    )
    def test_is_told_by_its_import(self, name, text):
        with pytest.raises(
            ModuleNotFoundError, match=f"No module named '{name}': .*{text}"
        ) as told:
            import_module(name)
        assert told.value.name == name

    def test_that_nobody_knows_is_as_for_python(self):
        with pytest.raises(ModuleNotFoundError, match=r"^No module named 'garboard.qqqq'$"):
            import_module("garboard.qqqq")


def test_a_method_that_waits_for_its_module_outlives_being_replaced(monkeypatch):
    waiting = vars(gb.Tensor)["fill_diagonal_"]
    found = gb.Tensor.fill_diagonal_

    monkeypatch.setattr(gb.Tensor, "fill_diagonal_", waiting)  # as who put it aside puts it back

    assert gb.Tensor.fill_diagonal_ is found
    assert gb.zeros(2, 2).fill_diagonal_(1).tolist() == [[1, 0], [0, 1]]


def test_methods_that_wait_are_added_by_their_modules():
    for module, names in METHODS.items():
        import_module(module)
        for name in names.split():
            assert callable(getattr(gb.Tensor, name)), name

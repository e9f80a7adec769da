"""The dicts of submodules, parameters and buffers, and modules put at paths."""

from __future__ import annotations

import copy
import pickle
import weakref

import garboard as gb
import numpy as np
import pytest
from garboard import nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestDicts:
    def test_they_show_what_is_registered(self):
        norm = nn.BatchNorm1d(2)

        assert list(norm._parameters) == ["weight", "bias"]
        assert norm._parameters["weight"] is norm.weight
        assert list(norm._buffers.keys()) == ["running_mean", "running_var", "num_batches_tracked"]
        assert dict(nn.Sequential(norm)._modules) == {"0": norm}
        assert len(norm._modules) == 0

    def test_they_are_read_backwards_too(self):
        net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())

        assert [*reversed(net._modules)] == ["1", "0"]
        assert [*reversed(net._modules.items())] == [("1", net[1]), ("0", net[0])]
        assert [*reversed(net._modules.values())] == [net[1], net[0]]
        assert [*reversed(net[0]._parameters.keys())] == ["bias", "weight"]

    def test_writing_to_them_registers(self):
        net = nn.Sequential(nn.ReLU())

        net._modules["0"] = nn.Tanh()
        net._modules["head"] = nn.Linear(2, 1)
        net._buffers["mean"] = gb.zeros(1)
        net._parameters["scale"] = nn.Parameter(gb.ones(1))

        assert [type(it).__name__ for it in net] == ["Tanh", "Linear"]
        assert list(net.state_dict()) == ["scale", "mean", "head.weight", "head.bias"]

    def test_a_transient_buffer_stays_one(self):
        module = nn.Module()
        module.register_buffer("seen", gb.zeros(1), persistent=False)

        module._buffers["seen"] = gb.ones(1)

        assert module.seen.item() == 1
        assert not module.state_dict()

    def test_deleting_takes_out(self):
        layer = nn.Linear(2, 1)

        del layer._parameters["bias"]
        layer.bias = gb.ones(1)

        assert list(layer.state_dict()) == ["weight"]
        assert layer(gb.zeros(1, 2)).tolist() == [[1.0]]

    def test_a_name_that_is_something_else_is_none_of_them(self):
        layer = nn.Linear(2, 1)

        assert "weight" not in layer._modules
        with pytest.raises(KeyError):
            layer._buffers["weight"]
        with pytest.raises(TypeError, match="a Module or None is needed"):
            layer._modules["x"] = gb.ones(1)

    def test_a_buffer_is_found_behind_a_property_that_finds_nothing(self):
        class Leaky(nn.Module):
            def __init__(self):
                super().__init__()
                self._buffers["decay"] = gb.tensor(0.5)

            @property
            def decay(self):
                return self.time - 1

        leaky = Leaky()

        assert leaky.decay.item() == 0.5
        leaky.time = 3
        assert leaky.decay == 2

    def test_a_module_whose_init_is_to_come_can_be_assigned(self):
        class Bare(nn.Module):
            def __init__(self):
                self.scale = 2

            def forward(self, x):
                return x * self.scale

        net = nn.Module()

        net.bare = Bare()

        assert net._modules["bare"].scale == 2
        assert net.bare.forward(3) == 6


def copied_by_pickle(module):
    return pickle.loads(pickle.dumps(module))


class Copied(nn.Module):
    """Pickles and copies its whole `__dict__`, as published classes do."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 1)

    def __getstate__(self):
        return self.__dict__.copy()

    def __setstate__(self, state):
        self.__dict__.update(state)


class TestTheModulesDict:
    def test_has_them_too(self):
        norm = nn.BatchNorm1d(2)
        net = nn.Sequential(norm)

        assert norm.__dict__["_parameters"]["weight"] is norm.weight
        assert list(norm.__dict__.get("_buffers")) == list(norm._buffers)
        assert net.__dict__["_modules"] == {"0": norm}
        assert list(net.__dict__["_parameters"]) == []

    def test_writing_and_deleting_there_registers(self):
        net = nn.Sequential(nn.ReLU())

        net.__dict__["_modules"]["head"] = nn.Linear(2, 1)
        net.__dict__["_parameters"]["scale"] = nn.Parameter(gb.ones(1))
        del net.__dict__["_modules"]["0"]

        assert list(net.state_dict()) == ["scale", "head.weight", "head.bias"]
        assert len(net) == 1

    @pytest.mark.parametrize("is_begun", [False, True])
    def test_may_be_assigned_to_another_module_entry_by_entry(self, is_begun):
        inner = nn.Sequential(nn.Linear(2, 2, bias=False), nn.BatchNorm1d(2))
        for module in (inner, *inner):
            made = type(module).__new__(type(module))
            if is_begun:
                nn.Module.__init__(made)
            for name, entry in vars(module).items():
                setattr(made, name, entry)
            if is_begun:
                for name, parameter in module._parameters.items():
                    made.register_parameter(name, parameter)
            made.head = nn.ReLU()

            assert list(made.state_dict()) == list(module.state_dict())
            assert "head" not in module._modules
            assert list(made._parameters) == list(module._parameters)

    def test_gives_no_places_to_parameters_that_are_none(self):
        layer, made = nn.Linear(2, 1, bias=False), nn.Module()
        made._parameters = {"weight": gb.zeros(1)}

        for name, entry in vars(layer).items():
            if name not in ("_parameters", "_modules", "_buffers"):
                setattr(made, name, entry)

        assert list(made._parameters) == ["weight"]
        assert (made.weight, made.bias) == (layer.weight, None)

    def test_keeps_no_module_alive(self):
        layer = nn.Linear(2, 1)
        was = weakref.ref(layer)

        del layer

        assert was() is None

    @pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, copied_by_pickle])
    def test_of_a_copy_shows_the_copys(self, again):
        for net in (nn.Sequential(nn.Linear(2, 1)), Copied()):
            made = again(net)
            place = next(iter(net._modules))

            assert made.__dict__["_modules"][place] is getattr(made, place)
            assert (made.__dict__["_modules"][place] is getattr(net, place)) == (again is copy.copy)
            inner = getattr(made, place)
            assert inner.__dict__["_parameters"]["weight"] is inner.weight

    def test_serves_a_getattr_that_looks_there(self):
        class Doubled(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(gb.ones(2))

            def __getattr__(self, name):
                if "_parameters" in self.__dict__:
                    known = self.__dict__["_parameters"]
                    if name in known:
                        return known[name] * 2
                return super().__getattr__(name)

        assert Doubled().weight.tolist() == [2.0, 2.0]

    def test_is_empty_of_them_before_init(self):
        class Early(nn.Module):
            def __init__(self):
                assert self.__dict__.get("_parameters") is None
                super().__init__()
                assert self.__dict__["_parameters"] == {}

        Early()


class Halved(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x / 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 100


class TestFunctionsAmongModules:
    def test_a_row_calls_a_function_that_stands_in_for_a_module(self):
        net = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Identity())
        x = gb.ones(1, requires_grad=True)

        net._modules["1"] = Halved.apply
        net(x).backward(gb.ones(1))

        assert gb.allclose(x.grad, net[0].weight.detach().view(1) * 100)
        assert net._modules["1"] == Halved.apply
        assert len(net) == 3

    def test_the_tree_goes_on_without_it(self):
        net = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
        net._modules["1"] = abs

        assert [name for name, _ in net.named_modules()] == ["", "0"]
        assert net.double().eval().load_state_dict(net.state_dict()) == ([], [])
        assert "(1): <built-in function abs>" in repr(net)
        assert "ReLU" not in net._repr_html_()
        with pytest.raises(AttributeError, match="Sequential has no module '1'"):
            net.get_submodule("1")
        net._modules["1"] = nn.Tanh()
        assert isinstance(net[1], nn.Tanh)

    def test_what_cannot_be_called_is_refused(self):
        with pytest.raises(TypeError, match="a Module or None is needed"):
            nn.Sequential(nn.ReLU())._modules["0"] = 3
        with pytest.raises(TypeError, match="a Tensor or None is needed"):
            nn.BatchNorm1d(1)._buffers["running_mean"] = abs


class TestFastWeights:
    def test_a_tensor_with_a_history_stands_in_for_a_parameter(self):
        layer = nn.Linear(1, 1, bias=False)
        weight = layer.weight

        layer._parameters["weight"] = weight * 2
        layer(gb.ones(1)).backward(gb.ones(1))

        assert weight.grad.tolist() == [[2.0]]
        assert layer._parameters["weight"] is layer.weight
        with pytest.raises(TypeError, match="a Parameter or None is needed"):
            layer._parameters["weight"] = 3
        with pytest.raises(TypeError, match="a Parameter or None is needed"):
            layer.weight = gb.ones(1, 1)

    def test_a_programs_own_object_holds_a_place_until_the_call(self):
        class Placeholder:
            pass

        class Inner(nn.Linear):
            def forward(self, x):
                self._parameters["weight"] = given
                return super().forward(x)

        layer = Inner(1, 1, bias=False)
        given = gb.tensor([[3.0]], requires_grad=True)

        layer._parameters = {"weight": Placeholder(), "bias": None}
        layer(gb.ones(1)).backward(gb.ones(1))

        assert given.grad.tolist() == [[1.0]]
        with pytest.raises(TypeError, match="a Parameter or None is needed"):
            layer._parameters["weight"] = nn.ReLU()

    def test_a_copy_that_programs_make_has_dicts_of_its_own(self):
        layer = nn.BatchNorm1d(1)
        copied = layer.__new__(type(layer))
        vars(copied).update(vars(layer))

        copied._parameters = {"weight": layer.weight * 2}
        copied._buffers = copied._buffers.copy()
        copied._modules = {}
        copied._modules["inner"] = nn.ReLU()

        assert list(layer._parameters) == ["weight", "bias"]
        assert list(copied._parameters) == ["weight"]
        assert layer.weight.item() == 1
        assert list(copied._buffers) == list(layer._buffers)
        assert len(layer._modules) == 0


def test_a_state_dict_has_a_module_s_parameters_before_its_buffers():
    module = nn.Module()
    module.register_buffer("first", gb.zeros(1))
    module.second = nn.Parameter(gb.zeros(1))

    assert list(module.state_dict()) == ["second", "first"]


class TestSetSubmodule:
    def test_it_puts_a_module_at_a_path(self):
        net = nn.Sequential(nn.Sequential(nn.ReLU()))

        net.set_submodule("0.0", nn.Tanh())
        net.set_submodule("0.head", nn.Linear(2, 1))

        assert [type(it).__name__ for it in net[0]] == ["Tanh", "Linear"]

    @pytest.mark.parametrize(
        ("target", "module", "strict", "error"),
        [
            ("", nn.ReLU, False, ValueError),
            ("a.b", nn.ReLU, False, AttributeError),
            ("head", nn.ReLU, True, AttributeError),
            ("0", int, False, TypeError),
            (3, nn.ReLU, False, TypeError),
            ("training", nn.ReLU, False, ValueError),
        ],
    )
    def test_what_cannot_be_is_refused(self, target, module, strict, error):
        net = nn.Sequential(nn.ReLU())

        with pytest.raises(error):
            net.set_submodule(target, module(), strict)

        assert list(net._modules) == ["0"]


@pytest.mark.parametrize(
    "kind",
    [nn.Parameter, nn.Buffer, nn.UninitializedParameter, nn.UninitializedBuffer],
    ids=lambda kind: kind.__name__,
)
def test_a_copy_of_what_is_registered_asks_for_a_dict(kind):
    of = kind() if kind.__name__.startswith("Un") else kind(gb.ones(2))

    for memo in (np.broadcast_to(np.float32(1), (2**20, 2**20)), [], None):
        with pytest.raises(TypeError, match=r"^deepcopy: memo is of type .*; a dict is needed"):
            of.__deepcopy__(memo)


class TestOverridesOfRegistering:
    def test_one_put_in_place_of_the_module_s_own_sees_each_parameter_that_is_assigned(
        self, monkeypatch
    ):
        seen, plain = [], nn.Module.register_parameter

        def registering(module, name, param):
            plain(module, name, param)
            seen.append(name)
            if param is not None:
                module._parameters[name] = nn.Parameter(
                    param.to("meta"), requires_grad=param.requires_grad
                )

        monkeypatch.setattr(nn.Module, "register_parameter", registering)
        layer = nn.Linear(2, 3)
        layer.bias = None
        monkeypatch.undo()
        layer.bias = nn.Parameter(gb.zeros(3))

        assert seen == ["weight", "bias", "bias"]
        assert [it.device.type for it in layer.parameters()] == ["meta", "cpu"]

    def test_one_of_a_class_sees_buffers_that_are_assigned(self):
        class Told(nn.Module):
            def __init__(self):
                super().__init__()
                self.told = []
                self.register_buffer("kept", gb.zeros(1))
                self.register_buffer("passing", gb.zeros(1), persistent=False)

            def register_buffer(self, name, tensor, persistent=True):
                self.told.append((name, persistent))
                super().register_buffer(name, tensor, persistent)

        told = Told()
        told.kept = gb.ones(1)
        told.passing = gb.ones(1)
        told.made = nn.Buffer(gb.ones(1), persistent=False)

        names = [("kept", True), ("passing", False)]
        assert told.told == [*names, *names, ("made", False)]
        assert list(told.state_dict()) == ["kept"]

    def test_what_had_the_name_makes_way(self):
        class Told(nn.Module):
            def register_parameter(self, name, param):
                super().register_parameter(name, param)

        told = Told()
        told.weight = 3
        told.register_buffer("scale", gb.ones(1))
        told.head = nn.ReLU()
        for name in ("weight", "scale", "head"):
            setattr(told, name, nn.Parameter(gb.ones(1)))
        told.weight = nn.Parameter(gb.zeros(1))

        assert list(told._parameters) == ["weight", "scale", "head"]
        assert not told._buffers
        assert not told._modules

    def test_one_is_not_asked_before_the_module_is_begun(self):
        class Told(nn.Module):
            def __init__(self):
                self.weight = nn.Parameter(gb.ones(1))

            def register_parameter(self, name, param):
                raise AssertionError

        with pytest.raises(AttributeError, match=r"before Module\.__init__\(\)"):
            Told()

    def test_what_is_no_parameter_is_refused_as_ever(self):
        class Told(nn.Module):
            def register_parameter(self, name, param):
                super().register_parameter(name, param)

        told = Told()
        told.weight = nn.Parameter(gb.ones(1))

        with pytest.raises(TypeError, match="a Parameter or None is needed"):
            told.weight = gb.ones(1)
        with pytest.raises(TypeError, match="a Parameter or None is needed"):
            told.weight = "text"
        assert told.weight.item() == 1


class TestAnotherHandle:
    """What `alias()` gives is another handle on the same parameter."""

    def test_that_is_assigned_where_the_parameter_stands_is_that_parameter(self):
        layer = nn.Linear(2, 3)
        weight = layer.weight

        layer.weight = layer.weight.alias()
        layer.weight = layer.weight.contiguous()

        assert layer.weight is weight
        assert list(layer._parameters) == ["weight", "bias"]

    @pytest.mark.parametrize("requires_grad", [True, False])
    def test_that_is_put_back_into_a_list_or_dict_keeps_what_it_is(self, requires_grad):
        of = nn.Parameter(gb.ones(2), requires_grad=requires_grad)
        for held, place in ((nn.ParameterDict({"a": of}), "a"), (nn.ParameterList([of]), 0)):
            held[place] = held[place].alias()

            assert held[place] is of
            assert held[place].requires_grad is requires_grad

    def test_on_another_tensor_is_no_such_thing(self):
        layer, held = nn.Linear(2, 3), nn.ParameterDict({"a": gb.ones(2)})
        before = held["a"]

        held["a"] = held["a"].data
        with pytest.raises(TypeError, match="a Parameter or None is needed"):
            layer.weight = layer.weight.data
        with pytest.raises(TypeError, match="a Parameter or None is needed"):
            layer.bias = layer.weight.alias()

        assert held["a"] is not before
        assert held["a"].requires_grad

    def test_of_a_disposed_parameter_is_refused(self):
        layer = nn.Linear(2, 3)
        other = layer.weight.alias()
        layer.weight.dispose()

        with pytest.raises(TypeError, match="a Parameter or None is needed"):
            layer.weight = other

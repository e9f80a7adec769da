"""Parameters of lazy layers: the same objects before the first input and after it."""

from __future__ import annotations

import copy
import io
import pickle

import garboard as gb
import pytest
from garboard import nn, optim

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.mark.parametrize("made", [optim.SGD, optim.Adam])
def test_an_optimizer_made_before_the_first_input_learns(made):
    layer = nn.LazyLinear(1)
    waiting = layer.weight
    optimizer = made(layer.parameters(), lr=0.1)
    x = gb.ones(2, 3)

    layer(x)
    before = layer.weight.detach().clone()
    layer(x).sum().backward()
    optimizer.step()

    assert layer.weight is waiting
    assert type(waiting) is nn.Parameter
    assert gb.all(layer.weight < before)

    optimizer.zero_grad()

    assert waiting.grad is None


def test_a_frozen_parameter_stays_frozen_and_itself():
    layer = nn.LazyConv2d(2, 1)
    waiting = layer.weight.requires_grad_(False)

    layer(gb.ones(1, 3, 2, 2))

    assert layer.weight is waiting
    assert not layer.weight.requires_grad
    assert layer.weight.shape == (2, 3, 1, 1)


def test_a_parameter_that_is_converted_before_the_first_input_stays_itself():
    layer = nn.LazyLinear(1)
    waiting = layer.weight
    optimizer = optim.SGD(layer.parameters(), lr=0.1)

    layer.double()
    layer(gb.ones(2, 3, dtype=gb.float64)).sum().backward()
    before = waiting.detach().clone()
    optimizer.step()

    assert layer.weight is waiting
    assert waiting.dtype == gb.float64
    assert gb.all(waiting < before)


def test_a_parameter_that_is_loaded_stays_itself():
    layer = nn.LazyLinear(2)
    waiting = layer.weight
    other = nn.Linear(3, 2)

    layer.load_state_dict(other.state_dict())

    assert layer.weight is waiting
    assert type(waiting) is nn.Parameter
    assert gb.equal(waiting, other.weight)


def test_a_parameter_is_given_sizes():
    waiting = nn.UninitializedParameter(dtype=gb.float64)

    waiting.materialize((2, 3))

    assert type(waiting) is nn.Parameter
    assert (waiting.shape, waiting.dtype, waiting.requires_grad) == ((2, 3), gb.float64, True)


@pytest.mark.parametrize("lazy", [nn.LazyBatchNorm1d, nn.LazyInstanceNorm1d])
def test_a_lazy_norm_leaves_its_bias_out(lazy):
    layer = lazy(bias=False)

    layer(gb.ones(2, 3, 5))

    assert layer.bias is None
    assert "bias" not in layer.state_dict()
    assert layer.weight.shape == (3,)


class Scale(gb.nn.modules.lazy.LazyModuleMixin, gb.nn.Module):
    """One of a program's own, which learns a factor and remembers a shift for each column."""

    def __init__(self) -> None:
        super().__init__()
        self.factors = gb.nn.UninitializedParameter()
        self.register_buffer("shifts", gb.nn.UninitializedBuffer())

    def initialize_parameters(self, x):
        if self.has_uninitialized_params():
            for it in (self.factors, self.shifts):
                it.materialize(x.shape[-1:])
            gb.nn.init.constant_(self.factors, 2)
            self.shifts.fill_(1)

    def forward(self, x):
        return x * self.factors + self.shifts


class TestOnesOfAProgramsOwn:
    def test_get_their_sizes_from_the_first_input(self):
        layer = Scale()
        optimizer = gb.optim.SGD(layer.parameters(), lr=0.5)
        assert layer.has_uninitialized_params()

        layer(gb.ones(2, 3)).sum().backward()
        optimizer.step()

        assert not layer.has_uninitialized_params()
        assert layer.factors.tolist() == [1, 1, 1]
        assert list(layer.state_dict()) == ["factors", "shifts"]
        assert layer(gb.ones(1, 3)).tolist() == [[2, 2, 2]]

    def test_become_the_class_that_they_name(self):
        class Plain(gb.nn.Module):
            forward = Scale.forward

        class Lazy(Scale):
            cls_to_become = Plain

        layer = Lazy()
        layer(gb.ones(2))

        assert type(layer) is Plain

    def test_take_sizes_from_a_state_dict_too(self):
        trained = Scale()
        trained(gb.ones(2))
        fresh = Scale()

        fresh.load_state_dict(trained.state_dict())

        assert fresh(gb.ones(2)).tolist() == [3, 3]

    def test_that_leave_something_without_sizes_are_refused(self):
        class Forgetful(Scale):
            def initialize_parameters(self, x):
                self.factors.materialize(2)

        class Silent(gb.nn.modules.lazy.LazyModuleMixin, gb.nn.Module):
            pass

        with pytest.raises(RuntimeError, match="left parameters without sizes"):
            Forgetful()(gb.ones(2))
        with pytest.raises(NotImplementedError, match="Silent: initialize_parameters"):
            Silent()(gb.ones(2))

    def test_are_freed_with_their_last_name(self):
        with gb.leaks.no_leaks():
            Scale()(gb.ones(2))
            Scale()


def test_a_layer_may_be_given_its_sizes_before_it_is_called():
    layer = gb.nn.LazyLinear(2)

    layer.initialize_parameters(gb.ones(1, 3))

    assert (layer.weight.shape, layer.cls_to_become) == ((2, 3), gb.nn.Linear)
    assert type(layer) is gb.nn.LazyLinear
    assert layer(gb.ones(1, 3)).shape == (1, 2)


def test_a_weight_without_sizes_has_no_norm():
    for norm in (gb.nn.utils.weight_norm, gb.nn.utils.parametrizations.weight_norm):
        with pytest.raises(ValueError, match="has no sizes before the first call"):
            norm(gb.nn.LazyLinear(2))


def test_a_buffer_without_sizes_that_is_assigned_is_registered():
    module = nn.Module()

    module.mean = nn.UninitializedBuffer()
    names = [name for name, _ in module.named_buffers()]
    module.mean.materialize((2,))
    copied = copy.deepcopy(module)

    assert names == ["mean"]
    assert copied.mean.shape == (2,)
    assert list(copied.state_dict()) == ["mean"]


class TestWithoutSizes:
    @pytest.mark.parametrize("make", [nn.UninitializedParameter, nn.UninitializedBuffer])
    @pytest.mark.parametrize(
        "ask",
        [
            lambda it: it.shape,
            lambda it: it.numel(),
            lambda it: len(it),
            lambda it: it.sum(),
            lambda it: it.fill_(1),
            lambda it: it.detach(),
            lambda it: it + 1,
            lambda it: 2 * it,
            lambda it: it[0],
            lambda it: list(it),
            lambda it: gb.add(it, it),
            lambda it: gb.cat([it, gb.ones(1)]),
            lambda it: gb.zeros_like(it),
            lambda it: gb.Tensor.sum(it),
            lambda it: nn.init.ones_(it),
            lambda it: gb.optim.Adagrad([it]),
        ],
    )
    def test_what_needs_them_says_how_they_come_to_be_known(self, make, ask):
        with pytest.raises(ValueError, match="not known yet; call the module with an") as caught:
            ask(make())

        assert isinstance(caught.value, RuntimeError)

    def test_parameters_are_not_counted_before_they_are_there(self):
        layer = nn.LazyLinear(2)

        with pytest.raises(ValueError, match="numel: the sizes of an UninitializedParameter"):
            sum(it.numel() for it in layer.parameters())

        layer(gb.ones(1, 3))
        assert sum(it.numel() for it in layer.parameters()) == 8

    def test_what_needs_none_is_done(self):
        layer = nn.LazyBatchNorm1d()
        weight, mean = layer.weight, layer.running_mean

        assert repr(weight) == "<UninitializedParameter>"
        assert isinstance(weight, nn.Parameter)
        assert weight.requires_grad
        assert (weight.dtype, weight.device, weight.grad) == (gb.float32, gb.device("cpu"), None)
        assert layer.state_dict()["weight"] is weight
        assert weight in {weight}
        assert "BatchNorm1d" in layer._repr_html_()
        layer.half().to_empty(device="cpu").requires_grad_(False)
        assert layer.running_mean.dtype == weight.dtype == gb.float16
        assert mean.is_floating_point()
        nn.LazyBatchNorm1d(device="meta").to_empty(device="cpu")
        layer._apply(lambda it: it.double())
        assert isinstance(layer.running_mean, nn.UninitializedBuffer)
        assert layer.running_mean.dtype == weight.dtype == gb.float64

    @pytest.mark.parametrize("way", ["pickle", "save", "copy"])
    def test_a_layer_that_is_pickled_saved_or_copied_waits_still(self, way):
        layer, file = nn.LazyLinear(2, dtype=gb.float64), io.BytesIO()

        if way == "pickle":
            other = pickle.loads(pickle.dumps(layer))
        elif way == "copy":
            other = copy.deepcopy(layer)
        else:
            gb.save(layer, file)
            other = gb.load(io.BytesIO(file.getvalue()), weights_only=False)

        assert isinstance(other.weight, nn.UninitializedParameter)
        assert other(gb.ones(1, 3, dtype=gb.float64)).shape == (1, 2)

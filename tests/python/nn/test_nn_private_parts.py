"""What published layers and losses take from PyTorch's private names."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn
from garboard.nn import functional
from garboard.nn.utils.spectral_norm import SpectralNorm
from garboard.nn.utils.weight_norm import WeightNorm

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestReductions:
    def test_have_pytorchs_numbers(self):
        numbers = [functional._Reduction.get_enum(it) for it in ("none", "mean", "sum")]

        assert numbers == [0, 1, 2]
        with pytest.raises(ValueError, match="get_enum: reduction 'all'; 'none', 'mean' or 'sum'"):
            functional._Reduction.get_enum("all")

    @pytest.mark.parametrize(
        ("size_average", "reduce", "wanted"),
        [(None, None, "mean"), (True, None, "mean"), (False, True, "sum"), (None, False, "none")],
    )
    def test_follow_from_the_older_options(self, size_average, reduce, wanted):
        from garboard.nn import _reduction

        assert _reduction is functional._Reduction
        assert _reduction.legacy_get_string(size_average, reduce) == wanted
        assert _reduction.legacy_get_enum(size_average, reduce) == _reduction.get_enum(wanted)


class TestPartsOfAttention:
    def test_a_packed_weight_is_one_of_three(self):
        x, memory = gb.randn(3, 2, 4), gb.randn(5, 2, 4)
        weight, bias = gb.randn(12, 4), gb.randn(12)
        parts = [functional.linear(x, weight[at : at + 4], bias[at : at + 4]) for at in (0, 4, 8)]

        packed = functional._in_projection_packed(x, x, x, weight, bias)
        q, k, v = functional._in_projection_packed(x, memory, memory, weight)
        apart = functional._in_projection(x, x, x, *weight.chunk(3), *bias.chunk(3))

        for one, two, three in zip(packed, apart, parts, strict=True):
            assert gb.allclose(one, three, atol=1e-5)
            assert gb.allclose(two, three, atol=1e-5)
        assert [it.shape for it in (q, k, v)] == [(3, 2, 4), (5, 2, 4), (5, 2, 4)]

    def test_a_mask_of_bools_becomes_what_is_added(self):
        mask = gb.tensor([True, False])
        told = ("mask", functional._none_or_dtype(None), "other", gb.float32)

        assert functional._canonical_mask(mask, *told).tolist() == [float("-inf"), 0.0]
        assert functional._canonical_mask(None, *told) is None
        assert functional._none_or_dtype(mask) == gb.bool
        with pytest.raises(gb.DTypeError, match=r"attention: 'mask' of dtype .*int64; bool or a"):
            functional._canonical_mask(gb.tensor([1]), *told)

    def test_sizes_are_looked_at(self):
        x, one = gb.ones(5, 2, 4), gb.ones(5, 4)

        assert functional._mha_shape_check(x, x, x, gb.zeros(2, 5), None, 2)
        assert not functional._mha_shape_check(one, one, one, None, gb.zeros(2, 5, 5), 2)
        for given, message in [
            ((one[0], one, one, None, None, 2), "query of 1 dims; two or three"),
            ((x, one, one, None, None, 2), "key of 2 dims beside a query of 3; 3 are needed"),
            ((x, x, x, gb.zeros(5), None, 2), "key_padding_mask of 1 dims"),
            ((x, x, x, None, gb.zeros(5), 2), "attn_mask of 1 dims"),
            ((one, one, one, None, gb.zeros(3, 5, 5), 2), r"attn_mask of sizes \[3, 5, 5\]"),
        ]:
            with pytest.raises(gb.ShapeError, match=message):
                functional._mha_shape_check(*given)

    def test_names_of_other_modules_are_found_too(self):
        from garboard.nn.functional import _pair, has_torch_function_unary

        assert _pair(3) == (3, 3)
        assert not has_torch_function_unary(gb.ones(1))


class TestNormsAsHooks:
    def test_of_weights_are_put_on_and_taken_off(self):
        layer = nn.Linear(3, 2, bias=False)
        before = layer.weight.tolist()

        hook = WeightNorm.apply(layer, "weight", dim=0)

        assert sorted(layer.state_dict()) == ["weight_g", "weight_v"]
        assert hook in layer._forward_pre_hooks.values()
        assert gb.allclose(hook.compute_weight(layer), gb.tensor(before))
        hook.remove(layer)
        assert list(layer.state_dict()) == ["weight"]

    def test_spectral_ones_too(self):
        layer = nn.Linear(3, 2, bias=False)

        hook = SpectralNorm.apply(layer, "weight", 3, 0, 1e-12)

        assert sorted(layer.state_dict()) == ["weight_orig", "weight_u", "weight_v"]
        assert hook.compute_weight(layer, do_power_iteration=False).shape == (2, 3)
        hook.remove(layer)
        assert list(layer.state_dict()) == ["weight"]

    def test_refuse_what_they_are_not_on(self):
        with pytest.raises(ValueError, match="weight_norm: Linear has no 'weight_g'; a module"):
            WeightNorm("weight", 0).compute_weight(nn.Linear(1, 1))
        with pytest.raises(TypeError, match="spectral_norm: module is of type int; a Module"):
            SpectralNorm().compute_weight(3, True)
        with pytest.raises(TypeError, match="spectral_norm: module is of type str; a Module"):
            SpectralNorm()("layer", ())
        with pytest.raises(TypeError, match="weight_norm: name is of type bytes; a string"):
            WeightNorm(b"weight", 0)

    def test_of_ones_own_derive_from_them(self):
        class Halved(WeightNorm):
            def compute_weight(self, module):
                return super().compute_weight(module) / 2

        layer = nn.Linear(1, 1, bias=False)
        before = layer.weight.item()

        Halved.apply(layer, "weight", 0)

        assert layer(gb.ones(1, 1)).item() == pytest.approx(before / 2)


class TestNamesOfWhatLayersAreCalledWith:
    def test_are_pytorchs_where_those_differ_from_the_functions(self):
        x, target = gb.ones(2, 6), gb.tensor([0, 1])
        layer = nn.AdaptiveLogSoftmaxWithLoss(6, 4, [2])

        assert nn.PoissonNLLLoss()(log_input=x, target=x).item() == pytest.approx(1.71828, 1e-4)
        assert nn.RMSNorm(6)(x=x).shape == x.shape
        assert layer(input_=x, target_=target).output.shape == (2,)


def test_functions_and_layers_are_found_by_torchs_other_paths():
    x = gb.arange(4.0).view(1, 4, 1)

    assert functional.grad is nn.grad
    assert functional.native_channel_shuffle(x, 2).flatten().tolist() == [0, 2, 1, 3]
    assert gb.native_channel_shuffle(x, 2).flatten().tolist() == [0, 2, 1, 3]
    assert isinstance(nn.LSTM(1, 1), nn.modules.RNNBase)
    assert isinstance(nn.GRUCell(1, 1), nn.modules.RNNCellBase)


def test_a_module_is_called_with_its_hooks_by_torchs_name_of_its_call():
    layer = nn.ReLU()
    layer.register_forward_hook(lambda module, given, output: output + 1)

    assert layer._call_impl(gb.ones(1)).tolist() == [2]
    assert layer._wrapped_call_impl(input=-gb.ones(1)).tolist() == [1]


class TestAModuleThatIsMadeTwice:
    """As classes of several bases are, each of which calls Module's `__init__`."""

    def test_forgets_what_was_registered_and_keeps_other_attributes(self):
        module = nn.Module()
        module.head, module.scale = nn.ReLU(), nn.Parameter(gb.ones(2))
        module.register_buffer("mean", gb.zeros(2))
        module.note = "kept"

        module.__init__()
        module.add_module("mean", nn.Tanh())

        assert module.note == "kept"
        assert [name for name, _ in module.named_children()] == ["mean"]
        assert not hasattr(module, "head")
        assert not hasattr(module, "scale")

    def test_has_no_hooks(self):
        layer = nn.ReLU()
        layer.register_forward_hook(lambda module, given, output: output + 1)

        layer.__init__()

        assert layer(gb.ones(1)).tolist() == [1]

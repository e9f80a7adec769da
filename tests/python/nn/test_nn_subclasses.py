"""What programs override or call on layers, under the private names that PyTorch's layers have."""

from __future__ import annotations

from types import MethodType, SimpleNamespace
from typing import Any

import garboard as gb
import pytest
from garboard import nn
from garboard.nn import functional

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Standardized(nn.Conv2d):
    def forward(self, input: gb.Tensor) -> gb.Tensor:
        weight = self.weight - self.weight.mean((1, 2, 3), keepdim=True)
        return self._conv_forward(input, weight, None)


class Doubled(nn.Conv1d):
    def _conv_forward(self, input: gb.Tensor, weight: gb.Tensor, bias: Any) -> gb.Tensor:
        return super()._conv_forward(input, weight * 2, bias)


class TestConvolutions:
    @pytest.mark.parametrize("mode", ["zeros", "circular"])
    def test_compute_with_a_weight_and_bias_that_a_subclass_gives(self, mode):
        layer = Standardized(2, 3, 3, padding=1, padding_mode=mode)
        x = gb.randn(1, 2, 5, 5)
        plain = nn.Conv2d(2, 3, 3, padding=1, padding_mode=mode, bias=False)
        with gb.no_grad():
            plain.weight.copy_(layer.weight - layer.weight.mean((1, 2, 3), keepdim=True))

        assert gb.allclose(layer(x), plain(x), atol=1e-6)

    def test_call_what_a_subclass_computes_instead(self):
        layer = Doubled(1, 1, 1, bias=False)

        assert gb.allclose(layer(gb.ones(1, 1, 2)), layer.weight * 2)

    @pytest.mark.parametrize("mode", ["zeros", "reflect"])
    def test_compute_for_an_object_that_has_their_attributes_alone(self, mode):
        layer = nn.Conv2d(1, 2, 3, padding=1, padding_mode=mode)
        scope = SimpleNamespace(**{**vars(layer), "weight": layer.weight * 2, "bias": None})
        scope._conv_forward = MethodType(type(layer)._conv_forward, scope)
        x = gb.randn(1, 1, 4, 4)

        made = type(layer).forward(scope, x)

        assert gb.allclose(made, 2 * (layer(x) - layer.bias.view(-1, 1, 1)), atol=1e-5)

    @pytest.mark.parametrize(
        ("layer", "around"),
        [
            (lambda: nn.Conv2d(1, 1, 3, padding=(1, 2)), (2, 2, 1, 1)),
            (lambda: nn.Conv3d(1, 1, 3, padding=(1, 2, 3)), (3, 3, 2, 2, 1, 1)),
            (lambda: nn.Conv2d(1, 1, (4, 3), padding="same"), [1, 1, 1, 2]),
            (lambda: nn.Conv1d(1, 1, 3, padding="valid"), [0, 0]),
            (lambda: nn.ConvTranspose1d(1, 1, 3, padding=2), (2, 2)),
        ],
    )
    def test_know_what_pad_puts_around_an_input(self, layer, around):
        assert layer()._reversed_padding_repeated_twice == around

    def test_pad_by_what_a_subclass_puts_there(self):
        layer = nn.Conv1d(1, 1, 2, padding_mode="replicate", bias=False)

        layer._reversed_padding_repeated_twice = (1, 0)

        assert layer(gb.ones(1, 1, 4)).shape == (1, 1, 4)

    def test_that_are_transposed_tell_the_output_padding(self):
        layer = nn.ConvTranspose1d(1, 1, 3, stride=2)
        x = gb.ones(1, 1, 4)

        given = ([2], [0], [3], 1)

        assert layer._output_padding(x, None, *given) == [0]
        assert layer._output_padding(x, [10], *given, [1]) == [1]
        with pytest.raises(gb.ShapeError, match=r"output_size \(12,\); sizes from \(9,\) to \(10"):
            layer._output_padding(x, [12], *given)


class AnyNorm(nn.modules.batchnorm._BatchNorm):
    def _check_input_dim(self, input: gb.Tensor) -> None: ...


class AnyInstanceNorm(nn.modules.instancenorm._InstanceNorm):
    def _check_input_dim(self, input: gb.Tensor) -> None: ...

    def _get_no_batch_dim(self) -> int:
        return 3


class TestNorms:
    @pytest.mark.parametrize("sizes", [(4, 3), (4, 3, 2), (4, 3, 2, 2), (4, 3, 1, 2, 2)])
    def test_take_what_a_subclass_does_not_refuse(self, sizes):
        x = gb.randn(*sizes)

        assert gb.equal(AnyNorm(3)(x), functional.batch_norm(x, None, None, training=True))

    def test_of_places_take_an_input_without_rows_as_the_subclass_says(self):
        x = gb.randn(3, 4, 5)

        assert gb.equal(AnyInstanceNorm(3)(x), nn.InstanceNorm2d(3)(x))

    def test_refuse_in_the_method_that_programs_call(self):
        with pytest.raises(gb.ShapeError, match=r"BatchNorm2d: an input of sizes \[2, 3\]"):
            nn.BatchNorm2d(3)._check_input_dim(gb.ones(2, 3))
        with pytest.raises(gb.ShapeError, match=r"InstanceNorm1d: an input of sizes \[2\]"):
            nn.InstanceNorm1d(3)._check_input_dim(gb.ones(2))
        with pytest.raises(NotImplementedError, match=r"_BatchNorm: _check_input_dim\(\) is mis"):
            nn.modules.batchnorm._BatchNorm(3)(gb.ones(2, 3))

    @pytest.mark.parametrize("sizes", [(4, 3), (4, 3, 2, 2)])
    def test_of_several_processes_are_those_of_the_one_there_is(self, sizes):
        norm = nn.modules.batchnorm.SyncBatchNorm(3, process_group="all")
        x = gb.randn(*sizes)

        assert gb.equal(norm(x), functional.batch_norm(x, None, None, training=True))
        assert norm.process_group == "all"
        assert norm.convert_sync_batchnorm(norm).weight is norm.weight
        with pytest.raises(gb.ShapeError, match=r"SyncBatchNorm: an input of sizes \[3\]; two or"):
            norm(gb.ones(3))

    def test_have_a_base_that_is_made_with_defaults(self):
        base = nn.modules.batchnorm._NormBase(2)

        assert list(base.state_dict()) == [
            "weight",
            "bias",
            "running_mean",
            "running_var",
            "num_batches_tracked",
        ]


class Encoder(nn.TransformerEncoderLayer):
    def _sa_block(self, x: gb.Tensor, *masks: Any) -> gb.Tensor:
        return x * 0

    def _ff_block(self, x: gb.Tensor) -> gb.Tensor:
        return x


class Decoder(nn.TransformerDecoderLayer):
    def _sa_block(self, x: gb.Tensor, *masks: Any) -> gb.Tensor:
        return x * 0

    def _ff_block(self, x: gb.Tensor) -> gb.Tensor:
        return x * 0

    def _mha_block(self, x: gb.Tensor, mem: gb.Tensor, *masks: Any) -> gb.Tensor:
        return mem


class Zeroed(nn.Transformer):
    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            nn.init.zeros_(parameter)


class TestTransformers:
    def test_call_the_blocks_of_a_subclass(self):
        x = gb.randn(3, 1, 4)
        layer = Encoder(4, 2, 8, norm_first=True)

        assert gb.allclose(layer(x), x + layer.norm2(x))

    def test_see_another_sequence_as_a_subclass_does(self):
        x, memory = gb.zeros(3, 1, 4), gb.randn(3, 1, 4)
        layer = Decoder(4, 2, 8, 0.0, norm_first=True)

        assert gb.equal(layer(x, memory), memory)

    def test_are_drawn_as_a_subclass_does(self):
        model = Zeroed(4, 2, 1, 1, 8)

        assert all(parameter.abs().sum().item() == 0 for parameter in model.parameters())


class Anchored(nn.Module):
    """Has a tensor that is no buffer, and converts it with the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(1, 1)
        self.register_buffer("count", gb.zeros(1, dtype=gb.int64))
        self.anchor = gb.ones(1)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        super()._apply(fn, recurse)
        self.anchor = fn(self.anchor)
        return self


class TestConversions:
    def test_convert_what_a_subclass_adds(self):
        model = nn.Sequential(Anchored(), nn.Linear(1, 1))
        weight = model[0].layer.weight

        converted = model.double()

        assert converted is model
        assert model[0].anchor.dtype == gb.float64
        assert model[0].layer.weight is weight
        assert {it.dtype for it in model.parameters()} == {gb.float64}
        assert model[0].count.dtype == gb.int64

    def test_give_elements_and_gradients_what_a_function_makes_of_them(self):
        layer = nn.Linear(1, 1, bias=False)
        layer(gb.ones(1)).backward(gb.ones(1))
        nn.init.ones_(layer.weight)

        assert layer._apply(lambda x: x * 3) is layer

        assert layer.weight.item() == 3
        assert layer.weight.grad.item() == 3
        assert layer.weight.is_leaf

    def test_by_name_do_not_call_a_to_of_ones_own(self):
        class Placed(nn.Linear):
            def to(self, device: Any) -> Any:  # type: ignore[override]
                return self.cpu()

        layer = Placed(2, 1)

        assert layer.double().weight.dtype == gb.float64
        assert layer.half().float().weight.dtype == gb.float32
        assert layer.bfloat16().weight.dtype == gb.bfloat16
        assert layer.to("cpu").cpu().weight.device.type == "cpu"


class Table(nn.Embedding):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.width = self.embedding_dim


class TestTables:
    def test_are_made_of_a_given_weight(self):
        weight = gb.randn(3, 2)

        layer = nn.Embedding(3, 2, _weight=weight, _freeze=True)

        assert layer.weight.data_ptr() == weight.data_ptr()
        assert not layer.weight.requires_grad
        with pytest.raises(gb.ShapeError, match=r"_weight of sizes \(3, 2\); \(2, 2\) are needed"):
            nn.Embedding(2, 2, _weight=weight)

    def test_of_a_subclass_know_what_it_was_made_with(self):
        layer = Table.from_pretrained(gb.ones(3, 2), padding_idx=-1)

        assert (layer.width, layer.num_embeddings, layer.padding_idx) == (2, 3, 2)
        assert layer.weight[2].tolist() == [1.0, 1.0]

    @pytest.mark.parametrize("kind", [nn.Embedding, nn.EmbeddingBag])
    def test_set_the_row_of_padding_to_zeros(self, kind):
        layer = kind(2, 2, padding_idx=1)
        nn.init.ones_(layer.weight)

        layer._fill_padding_idx_with_zero()

        assert layer.weight.tolist() == [[1.0, 1.0], [0.0, 0.0]]


class TestRecurrentLayers:
    def test_know_their_parameters_in_a_row(self):
        layer = nn.LSTM(2, 3, bidirectional=True, proj_size=1)

        assert layer._flat_weights_names[:5] == layer._all_weights[0]
        assert layer._all_weights[1][-1] == "weight_hr_l0_reverse"
        assert all(a is b for a, b in zip(layer._flat_weights, layer.parameters(), strict=True))
        assert [nn.RNN(2, 3, nonlinearity="relu").mode, layer.mode] == ["RNN_RELU", "LSTM"]

    def test_compute_with_the_row_that_is_put_there(self):
        layer, other = nn.GRU(2, 3), nn.GRU(2, 3)
        x = gb.randn(4, 1, 2)

        layer._flat_weights = [nn.Parameter(it.detach()) for it in other._flat_weights]

        assert gb.equal(layer(x)[0], other(x)[0])

    def test_check_what_they_are_given(self):
        layer, x = nn.LSTM(2, 3, proj_size=1), gb.ones(4, 5, 2)
        states = gb.ones(1, 5, 1), gb.ones(1, 5, 3)

        layer.check_forward_args(x, states, None)

        assert layer.get_expected_hidden_size(x[0], gb.tensor([2, 1])) == (1, 2, 1)
        assert layer.permute_hidden(states, gb.tensor([0]))[1].shape == (1, 1, 3)
        with pytest.raises(gb.ShapeError, match=r"LSTM: first states of sizes \[1, 5, 3\]; "):
            layer.check_forward_args(x, states[::-1], None)
        with pytest.raises(gb.ShapeError, match=r"LSTM: input of sizes \(4, 2\); 3 dims"):
            layer.check_input(gb.ones(4, 2), None)


def test_helpers_are_found_where_programs_import_them_from():
    modules = nn.modules

    assert modules.module._addindent("a\nb", 2) == "a\n  b"
    assert modules.module._IncompatibleKeys([], []) == ([], [])
    assert modules.utils._list_with_default([None, 3], [5, 6, 7]) == [6, 3]
    assert modules.transformer._generate_square_subsequent_mask(1).tolist() == [[0.0]]
    assert modules.rnn.PackedSequence is nn.utils.rnn.PackedSequence
    assert nn.ModuleList([nn.ReLU(), nn.ReLU()])._get_abs_string_index(-1) == "1"


def test_a_module_is_called_where_it_is_with_one_argument_or_several():
    call = nn.parallel.data_parallel
    product = nn.Bilinear(2, 2, 1)
    x = gb.randn(3, 2)

    assert gb.equal(call(product, (x, x), [0]), product(x, x))
    assert gb.equal(call(product, x, module_kwargs={"input2": x}), product(x, x))
    with pytest.raises(NotImplementedError, match="data_parallel: 2 devices; there is one"):
        call(product, (x, x), [0, 1])


def test_layers_are_the_kinds_that_programs_ask_for():
    for dims in (1, 2, 3):
        zeros = getattr(nn, f"ZeroPad{dims}d")(1)
        assert isinstance(zeros, getattr(nn, f"ConstantPad{dims}d"))
        assert zeros.value == 0
        assert repr(zeros) == f"ZeroPad{dims}d({(1, 1) * dims})"
    bounded = nn.ReLU6(inplace=True)
    assert isinstance(bounded, nn.Hardtanh)
    assert (bounded.min_val, bounded.max_val) == (0, 6)
    assert repr(bounded) == "ReLU6(inplace=True)"
    assert bounded(gb.tensor([-1.0, 2.0, 9.0])).tolist() == [0, 2, 6]


class TestOfTheBasesThatPyTorchHas:
    def test_a_convolution_of_ones_own_gives_all_in_pytorchs_order(self):
        class Mixed(nn.modules.conv._ConvNd):
            def __init__(self, i, o, k):
                size = nn.modules.utils._pair(k)
                args = (size, (1, 1), (1, 1), (1, 1), False, (0, 0), 1, True, "zeros")
                super().__init__(i, o, *args)

            def forward(self, x):
                place = (self.stride, self.padding, self.dilation, self.groups)
                return nn.functional.conv2d(x, self.weight, self.bias, *place)

        made, usual = Mixed(2, 3, 3), nn.Conv2d(2, 3, 3, padding=1)
        usual.load_state_dict(made.state_dict())
        x = gb.randn(1, 2, 4, 4)

        assert gb.equal(made(x), usual(x))
        assert repr(made) == "Mixed(2, 3, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))"
        assert not made.transposed

    def test_a_transposed_one_too(self):
        class Mixed(nn.modules.conv._ConvTransposeNd):
            def __init__(self, i, o):
                super().__init__(i, o, (2,), (2,), (0,), (1,), True, (1,), 1, False, "zeros")

        made = Mixed(2, 6)

        assert made.weight.shape == (2, 6, 2)
        assert (made.output_padding, made.dilation, made.bias) == ((1,), (1,), None)
        assert isinstance(nn.ConvTranspose1d(1, 1, 1), nn.modules.conv._ConvTransposeNd)
        assert not isinstance(nn.Conv1d(1, 1, 1), nn.modules.conv._ConvTransposeNd)

    def test_a_recurrent_layer_names_its_mode(self):
        class Own(nn.RNNBase):
            def __init__(self, *args, **options):
                super().__init__("GRU", *args, **options)

            forward = nn.GRU.forward

        made, usual = Own(3, 4, num_layers=2), nn.GRU(3, 4, num_layers=2)
        usual.load_state_dict(made.state_dict())
        x = gb.randn(5, 2, 3)

        assert gb.equal(made(x)[0], usual(x)[0])
        assert (made.mode, made.proj_size) == ("GRU", 0)
        assert nn.RNNBase("LSTM", 3, 4, proj_size=2).weight_hr_l0.shape == (2, 4)
        with pytest.raises(ValueError, match="Recurrent: mode 'X'"):
            nn.RNNBase("X", 3, 4)
        with pytest.raises(ValueError, match="proj_size 2 of mode GRU; LSTM alone projects"):
            nn.RNNBase("GRU", 3, 4, proj_size=2)

    def test_a_cell_tells_how_many_gates_it_has(self):
        class Normed(nn.RNNCellBase):
            def __init__(self, i, h):
                super().__init__(i, h, bias=True, num_chunks=4)
                self.norm = nn.LayerNorm(4 * h)

            def forward(self, x, state):
                h, c = state
                gates = nn.functional.linear(x, self.weight_ih, self.bias_ih)
                gates = gates + nn.functional.linear(h, self.weight_hh, self.bias_hh)
                i, f, g, o = self.norm(gates).chunk(4, 1)
                c = f.sigmoid() * c + i.sigmoid() * g.tanh()
                return o.sigmoid() * c.tanh(), c

        cell = Normed(3, 2)
        h, _ = cell(gb.ones(4, 3), (gb.zeros(4, 2), gb.zeros(4, 2)))

        assert h.shape == (4, 2)
        assert cell.weight_hh.shape == (8, 2)
        assert nn.RNNCellBase(3, 2, False, 1).weight_ih.shape == (2, 3)


def test_a_part_with_a_train_of_its_own_is_asked_by_those_around_it():
    class Frozen(gb.nn.BatchNorm1d):
        def train(self, mode=True):
            return super().train(False)

    model = gb.nn.Sequential(gb.nn.Dropout(), gb.nn.Sequential(Frozen(2), gb.nn.Dropout()))

    model.train()
    assert [it.training for it in model.modules()] == [True, True, True, False, True]
    model.eval()
    assert not any(it.training for it in model.modules())


class TestBasesBehindModule:
    def test_are_made_with_what_module_is_given_where_the_class_asks_for_it(self):
        class Named:
            def __init__(self, name="none"):
                self.name = name

        class Both(gb.nn.Module, Named):
            call_super_init = True

        assert Both("this").name == "this"
        assert Both().name == "none"

    def test_are_left_alone_otherwise_and_module_takes_nothing(self):
        with pytest.raises(TypeError, match="Module takes none"):
            gb.nn.Module(3)


class TestWithTensorsOfItsOwn:
    """A module that keeps tensors beside its buffers and converts them, as gpytorch's do."""

    class Keeping(nn.Module):
        def __init__(self, x, buffer):
            super().__init__()
            self.register_buffer("buffer", buffer)
            self.own = (x,)

        def _apply(self, fn):
            self.own = tuple(fn(it) for it in self.own)
            return super()._apply(fn)

    def test_keeps_the_history_of_those(self):
        leaf = gb.ones(2, requires_grad=True)
        one = self.Keeping(leaf * 2, gb.ones(1)).to(gb.float32)

        one.own[0].sum().backward()

        assert leaf.grad.tolist() == [2.0, 2.0]

    def test_gives_those_of_a_module_that_is_emptied_other_elements(self):
        one = gb.nn.Sequential(self.Keeping(gb.ones(2, device="meta"), gb.ones(1, device="meta")))

        one.to_empty(device="cpu")

        assert (one[0].own[0].device.type, one[0].buffer.device.type) == ("cpu", "cpu")

    def test_keeps_the_buffers_that_are_there_already(self):
        buffer = gb.ones(1)
        one = self.Keeping(gb.ones(2), buffer)

        assert one.to(gb.float32).cpu().buffer is buffer
        assert one.double().buffer is not buffer
        assert (one.buffer.dtype, one.own[0].dtype) == (gb.float64, gb.float64)


def test_a_buffer_that_is_none_is_got_and_a_parameter_that_is_none_is_not():
    one = nn.Linear(2, 1, bias=False)
    one.register_buffer("mean", None)

    assert one.get_buffer("mean") is None
    with pytest.raises(AttributeError, match="get_parameter: Linear has no 'bias'"):
        one.get_parameter("bias")

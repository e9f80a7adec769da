"""Tensors by sizes and by typed names, and what programs say of layouts."""

from __future__ import annotations

import copy
import pickle

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestTensor:
    def test_integers_are_sizes(self):
        assert gb.Tensor(2, 3).shape == (2, 3)
        assert gb.Tensor(3).shape == (3,)
        assert gb.Tensor(2, 1, requires_grad=True).requires_grad
        assert gb.nn.Parameter(gb.Tensor(3, 4)).shape == (3, 4)

    def test_data_are_of_the_default_dtype(self):
        assert gb.Tensor([1, 2]).dtype == gb.float32
        assert gb.Tensor(np.ones(2)).dtype == gb.float32
        assert gb.Tensor([1, 2], dtype=gb.int64).dtype == gb.int64
        assert gb.Tensor(gb.tensor([1, 2])).dtype == gb.int64
        assert gb.Tensor(gb.tensor(3)).tolist() == 3

    @pytest.mark.parametrize("given", [(-1,), (2, "a"), (2, 1.5), (2**70,), (1,) * 70, (True, 2)])
    def test_what_cannot_be_sizes_is_refused(self, given):
        with pytest.raises((gb.ShapeError, TypeError)):
            gb.Tensor(*given)


TYPED = {
    gb.BFloat16Tensor: gb.bfloat16,
    gb.BoolTensor: gb.bool,
    gb.ByteTensor: gb.uint8,
    gb.CharTensor: gb.int8,
    gb.DoubleTensor: gb.float64,
    gb.FloatTensor: gb.float32,
    gb.HalfTensor: gb.float16,
    gb.IntTensor: gb.int32,
    gb.LongTensor: gb.int64,
    gb.ShortTensor: gb.int16,
}


@pytest.mark.parametrize(("typed", "dtype"), TYPED.items(), ids=lambda it: str(it))
class TestTypedTensors:
    def test_they_are_made_of_data_and_of_sizes(self, typed, dtype):
        made = typed([0, 1])

        assert made.dtype == dtype
        assert made.double().tolist() == [0, 1]
        assert typed(np.array([0, 1])).dtype == dtype
        assert typed(2, 3).shape == (2, 3)
        assert typed(2, 3).dtype == dtype

    def test_a_size_is_sizes_and_a_tuple_is_data(self, typed, dtype):
        made = typed(gb.ones(2, 3).size())

        assert (made.shape, made.dtype) == ((2, 3), dtype)
        assert typed(gb.ones(()).shape).shape == ()
        assert typed((0, 1)).double().tolist() == [0, 1]

    def test_a_tensor_is_of_the_one_of_its_dtype(self, typed, dtype):
        x = gb.zeros(1).type(typed)

        assert x.dtype == dtype
        assert [it for it in TYPED if isinstance(x, it)] == [typed]
        assert not isinstance(1, typed)


class TestTypesOfDevices:
    def test_say_where_besides_the_dtype(self):
        x = gb.ones(2, dtype=gb.int64)

        assert [x.type(it).dtype for it in (gb.Tensor, gb.FloatTensor, "torch.HalfTensor")] == [
            gb.float32,
            gb.float32,
            gb.float16,
        ]
        assert isinstance(x, gb.LongTensor)
        assert not isinstance(x, gb.cuda.LongTensor)

    def test_bring_a_tensor_back_to_the_cpu(self):
        with gb.memory.SimulatedDevice("4 MiB") as device, gb.dispose_scope():
            x = gb.ones(2, device=device)

            assert x.type(gb.FloatTensor).device.type == "cpu"
            assert x.type("torch.IntTensor").device.type == "cpu"
            assert x.type(gb.int32).device == device
            assert x.type("IntTensor").device == device
            assert not isinstance(x, gb.FloatTensor)

    def test_take_a_device_of_their_kind_alone(self):
        for device in (None, "cpu", gb.device("cpu")):
            assert gb.LongTensor([1, 2], device=device).tolist() == [1, 2]
            assert gb.FloatTensor(2, 3, device=device).shape == (2, 3)
        with pytest.raises(gb.DeviceError, match="LongTensor: device meta; one of the kind cpu"):
            gb.LongTensor([1], device="meta")
        with pytest.raises(TypeError, match="LongTensor: no parameter is named 'dtype'"):
            gb.LongTensor([1], dtype=gb.float32)

    def test_name_a_gpu_that_is_not_there(self):
        if gb.cuda.is_available():
            pytest.skip("there is one")

        for make in (
            lambda: gb.cuda.FloatTensor(2, 3),
            lambda: gb.ones(1).type(gb.cuda.LongTensor),
            lambda: gb.ones(1).type("torch.cuda.LongTensor"),
        ):
            with pytest.raises(gb.DeviceError, match="device cuda:0 cannot be used"):
                make()

    @pytest.mark.cuda
    @pytest.mark.skipif(not gb.cuda.is_available(), reason="no GPU")
    def test_make_tensors_of_a_gpu(self):
        made = gb.cuda.LongTensor([1, 2])

        assert (made.is_cuda, made.dtype, made.tolist()) == (True, gb.int64, [1, 2])
        assert isinstance(made, gb.cuda.LongTensor)
        assert gb.ones(1).type(gb.cuda.HalfTensor).is_cuda


FORMATS = [gb.contiguous_format, gb.preserve_format, gb.channels_last, None]


class TestLayouts:
    @pytest.mark.parametrize("memory_format", FORMATS, ids=repr)
    def test_a_memory_format_changes_nothing(self, memory_format):
        x = gb.rand(2, 3, 4, 4)

        results = [
            gb.zeros_like(x, memory_format=memory_format) + x,
            x.contiguous(memory_format=memory_format),
            x.clone(memory_format=memory_format),
            x.to("cpu", memory_format=memory_format),
            x.to(memory_format=memory_format),
            x.float(memory_format=memory_format),
        ]

        assert all(gb.equal(it, x) for it in results)
        assert gb.nn.Linear(2, 1).to("cpu", non_blocking=True, memory_format=memory_format)

    @pytest.mark.parametrize("memory_format", [None, gb.contiguous_format, gb.preserve_format])
    def test_a_tensor_is_asked_whether_it_is_row_major(self, memory_format):
        x = gb.zeros(2, 3)

        assert x.is_contiguous(memory_format=memory_format)
        assert not x.T.is_contiguous(memory_format=memory_format)

    def test_a_tensor_is_asked_whether_its_channels_go_fastest(self):
        x, volume = gb.zeros(2, 4, 5, 3), gb.zeros(2, 4, 5, 6, 3)
        last, last_3d = gb.channels_last, gb.channels_last_3d

        assert x.permute(0, 3, 1, 2).is_contiguous(memory_format=last)
        assert not x.permute(0, 3, 2, 1).is_contiguous(memory_format=last)
        assert not x.is_contiguous(memory_format=last)
        assert gb.zeros(2, 3, 1, 1).is_contiguous(memory_format=last)
        assert gb.zeros(2, 1, 4, 5).is_contiguous(memory_format=last)
        assert volume.permute(0, 4, 1, 2, 3).is_contiguous(memory_format=last_3d)
        assert not volume.is_contiguous(memory_format=last_3d)
        assert not x.permute(0, 3, 1, 2).is_contiguous(memory_format=last_3d)
        assert not gb.zeros(3).is_contiguous(memory_format=last)

    def test_layouts_and_pinning_are_heard(self):
        assert gb.zeros(2, layout=gb.strided, pin_memory=None).tolist() == [0.0, 0.0]
        assert gb.tensor([1.0], pin_memory=False).tolist() == [1.0]

    @pytest.mark.parametrize(
        "call",
        [
            lambda x: x.clone(memory_format=3),
            lambda x: x.clone(memory_format=gb.strided),
            lambda x: gb.zeros(2, layout="strided"),
            lambda x: gb.zeros(2, pin_memory=2),
            lambda x: x.is_contiguous(memory_format=3),
            lambda x: x.is_contiguous(memory_format=gb.strided),
            lambda x: x.to(memory_format="channels_last"),
            lambda x: gb.nn.Linear(2, 1).to(memory_format=3),
            lambda x: gb.nn.Linear(2, 1).to("cpu", non_blocking="no"),
            lambda x: gb.memory_format(),
        ],
    )
    def test_what_is_none_is_refused(self, call):
        with pytest.raises(TypeError, match=r"memory_format|layout|pin_memory|non_blocking"):
            call(gb.ones(2))

    def test_the_constants_are_the_same_everywhere_and_for_ever(self):
        for one in (*FORMATS[:3], gb.strided):
            assert copy.deepcopy(one) is one
            assert pickle.loads(pickle.dumps(one)) is one
            with pytest.raises(AttributeError):
                one._name = "another"
            with pytest.raises(AttributeError):
                del one._name
        assert repr(gb.strided) == "garboard.strided"


LOSSES = [
    gb.nn.MSELoss,
    gb.nn.L1Loss,
    gb.nn.SmoothL1Loss,
    gb.nn.SoftMarginLoss,
    gb.nn.KLDivLoss,
    gb.nn.BCEWithLogitsLoss,
    gb.nn.PoissonNLLLoss,
    gb.nn.HingeEmbeddingLoss,
    gb.nn.MultiLabelSoftMarginLoss,
]


class TestOlderReductions:
    @pytest.mark.parametrize("make", LOSSES)
    @pytest.mark.parametrize(
        ("options", "reduction"),
        [
            ({"size_average": False}, "sum"),
            ({"size_average": True}, "mean"),
            ({"reduce": False}, "none"),
            ({"size_average": False, "reduce": True}, "sum"),
            ({"size_average": False, "reduce": False}, "none"),
        ],
    )
    def test_of_layers_are_those_of_today(self, make, options, reduction):
        input, target = gb.tensor([[0.5, 2.0]]), gb.ones(1, 2)

        loss = make(**options)

        assert loss.reduction == reduction
        assert loss(input, target).tolist() == make(reduction=reduction)(input, target).tolist()

    @pytest.mark.parametrize(
        ("function", "target"),
        [
            (gb.nn.functional.binary_cross_entropy, [[1.0, 0.0]]),
            (gb.nn.functional.mse_loss, [[1.0, 0.0]]),
            (gb.nn.functional.cross_entropy, [1]),
            (gb.nn.functional.nll_loss, [1]),
            (gb.nn.functional.multi_margin_loss, [1]),
        ],
    )
    def test_of_functions_are_those_of_today(self, function, target):
        input, target = gb.tensor([[0.5, 0.25]]), gb.tensor(target)

        assert function(input, target, size_average=False) == function(
            input, target, reduction="sum"
        )
        assert gb.equal(
            function(input, target, reduce=False), function(input, target, reduction="none")
        )

    def test_are_true_or_false(self):
        with pytest.raises(TypeError, match="MSELoss: size_average is of type str"):
            gb.nn.MSELoss(size_average="sum")
        with pytest.raises(TypeError, match="mse_loss: reduce is of type str"):
            gb.nn.functional.mse_loss(gb.ones(1), gb.ones(1), reduce="no")


class TestALossOfAUsersOwn:
    def test_has_what_all_losses_have(self):
        from garboard.nn.modules.loss import _Loss, _WeightedLoss

        class Focal(_WeightedLoss):
            def forward(self, input: gb.Tensor, target: gb.Tensor) -> gb.Tensor:
                losses = gb.nn.functional.cross_entropy(
                    input, target, weight=self.weight, reduction="none"
                )
                return gb.nn.functional.l1_loss(
                    losses, gb.zeros_like(losses), reduction=self.reduction
                )

        loss = Focal(gb.tensor([1.0, 2.0]), reduction="sum")

        assert isinstance(loss, _Loss)
        assert isinstance(gb.nn.MSELoss(), _Loss)
        assert isinstance(gb.nn.CrossEntropyLoss(), _WeightedLoss)
        assert [*loss.state_dict()] == ["weight"]
        assert loss(gb.zeros(2, 2), gb.tensor([0, 1])).item() == pytest.approx(2.0794, abs=1e-4)
        with pytest.raises(ValueError, match=r"Focal: reduction 'average'"):
            Focal(reduction="average")


def test_sizes_of_a_broadcast_are_given_one_by_one_too():
    x = gb.ones(3)

    assert x.broadcast_to(2, 3).shape == x.broadcast_to((2, 3)).shape == (2, 3)
    assert gb.broadcast_to(x, size=(2, 3)).shape == (2, 3)

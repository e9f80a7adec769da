"""Modules by the paths that programs for PyTorch import from, and what they ask of the machine."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import garboard as gb
import pytest
from garboard._names.paths import _PATHS

ROWS = [(package, path) for package, paths in _PATHS.items() for path in paths]


class TestPaths:
    @pytest.mark.parametrize(("package", "path"), ROWS)
    def test_lead_to_the_names_of_their_package(self, package, path):
        home = import_module(package)

        found = import_module(f"{package}.{path}")

        assert found.__all__ == _PATHS[package][path].split()
        assert all(getattr(found, name) is getattr(home, name) for name in found.__all__)

    def test_are_attributes_too_where_no_name_is_in_the_way(self):
        from garboard.autograd.gradcheck import gradcheck

        assert gb.distributions.normal.Normal is gb.distributions.Normal
        assert gb.optim.adamw.AdamW is gb.optim.AdamW
        assert gb.autograd.gradcheck is gradcheck

    def test_lead_through_packages_alone_as_imports_of_an_alias_ask(self):
        for package in [*_PATHS, "garboard._dynamo", "garboard._inductor"]:
            import_module(package)

        owners = {name.rpartition(".")[0] for name in sys.modules if name.startswith("garboard.")}

        assert [name for name in owners if not hasattr(sys.modules[name], "__path__")] == []

    @pytest.mark.parametrize(
        ("path", "names"),
        [
            ("batchnorm", "_BatchNorm _NormBase"),
            ("conv", "_ConvNd _ConvTransposeNd"),
            ("dropout", "_DropoutNd"),
            ("instancenorm", "_InstanceNorm _NormBase"),
            ("lazy", "LazyModuleMixin"),
            ("loss", "_Loss _WeightedLoss"),
            ("padding", "_ConstantPadNd _CircularPadNd _ReflectionPadNd _ReplicationPadNd"),
            ("pooling", "_AdaptiveAvgPoolNd _AdaptiveMaxPoolNd _AvgPoolNd _MaxPoolNd _LPPoolNd"),
            ("rnn", "RNNBase RNNCellBase"),
            ("utils", "_single _pair _triple"),
        ],
    )
    def test_lead_to_the_bases_of_layers(self, path, names):
        module = import_module(f"garboard.nn.modules.{path}")

        assert all(callable(getattr(module, name)) for name in names.split())

    def test_bases_are_those_of_the_layers(self):
        assert isinstance(gb.nn.GRU(1, 1), gb.nn.RNNBase)
        assert isinstance(gb.nn.GRUCell(1, 1), gb.nn.RNNCellBase)
        assert isinstance(gb.nn.Conv2d(1, 1, 1), gb.nn.modules.conv._ConvNd)
        assert isinstance(gb.nn.Dropout2d(), gb.nn.modules.dropout._DropoutNd)

    def test_types_of_sizes_are_types(self):
        from garboard.nn.common_types import _size_2_t, _size_any_t

        assert isinstance(3, _size_2_t)
        assert _size_2_t != _size_any_t

    def test_layers_are_copied_as_transformers_copy_them(self):
        from garboard.nn.modules.transformer import _get_activation_fn, _get_clones

        layers = _get_clones(gb.nn.Linear(2, 2), 3)

        assert len(layers) == 3
        assert layers[0].weight is not layers[1].weight
        assert layers[0].weight.tolist() == layers[1].weight.tolist()
        assert _get_activation_fn("relu")(gb.tensor(-1.0)).item() == 0


class TestADevice:
    @pytest.mark.parametrize(
        ("given", "named", "expected"),
        [
            (("cuda", 1), {}, "cuda:1"),
            ((), {"type": "cuda", "index": 2}, "cuda:2"),
            (("cpu", 0), {}, "cpu"),
            (("cpu", None), {}, "cpu"),
            ((3,), {}, "cuda:3"),
        ],
    )
    def test_has_a_number_beside_its_name(self, given, named, expected):
        assert gb.device(*given, **named) == gb.device(expected)

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            (("cuda:1", 1), gb.DeviceError),
            (("cpu", 1), gb.DeviceError),
            (("cuda", -1), gb.DeviceError),
            (("cuda", 10**30), gb.DeviceError),
            ((-1,), gb.DeviceError),
            (("cuda", "1"), TypeError),
            ((1, 1), TypeError),
            ((True,), TypeError),
        ],
    )
    def test_is_refused_where_there_is_none(self, given, error):
        with pytest.raises(error, match=r"^device: "):
            gb.device(*given)

    def test_opens_a_block_where_tensors_are_made(self):
        with gb.device("cpu") as device:
            assert gb.ones(1).device == device

    def test_is_the_cpu_by_default(self):
        gb.set_default_device("cpu")
        gb.set_default_device(None)

        assert gb.get_default_device() == gb.device("cpu")

    def test_has_a_module_about_its_kind(self):
        assert gb.get_device_module("cpu") is gb.get_device_module(gb.device("cpu")) is gb.cpu
        assert gb.get_device_module("cuda:1") is gb.cuda
        assert gb.get_device_module() is (gb.cuda if gb.cuda.is_available() else gb.cpu)
        with pytest.raises(gb.DeviceError, match="get_device_module: 'simulated'; 'cpu' or 'cuda'"):
            gb.get_device_module("simulated")
        with pytest.raises(gb.DeviceError):
            gb.get_device_module("tpu")
        with pytest.raises(TypeError):
            gb.get_device_module(2.5)

    def test_is_an_accelerator_or_none(self):
        accelerator = gb.accelerator.current_accelerator()

        assert gb.accelerator.is_available() == gb.cuda.is_available() == (accelerator is not None)
        assert gb.accelerator.device_count() == gb.cuda.device_count()


class TestTheDefaultTensorType:
    @pytest.mark.parametrize(
        "given", [gb.DoubleTensor, "torch.DoubleTensor", "garboard.DoubleTensor", "DoubleTensor"]
    )
    def test_is_the_dtype_of_floats(self, given):
        try:
            gb.set_default_tensor_type(given)

            assert gb.ones(1).dtype == gb.float64
        finally:
            gb.set_default_tensor_type("torch.FloatTensor")
        assert gb.ones(1).dtype == gb.float32

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ("torch.cuda.FloatTensor", gb.DeviceError),
            ("torch.LongTensor", TypeError),
            ("torch.Tensor", TypeError),
            (gb.Tensor, TypeError),
            (gb.float64, TypeError),
        ],
    )
    def test_is_no_other(self, given: Any, error):
        with pytest.raises(error, match=r"^set_default_tensor_type: "):
            gb.set_default_tensor_type(given)


class TestOneProcess:
    def test_is_what_programs_are_told(self):
        assert not gb.distributed.is_available()
        assert not gb.distributed.is_initialized()
        assert (gb.distributed.get_rank(), gb.distributed.get_world_size()) == (0, 1)
        assert gb.distributed.ReduceOp.SUM != gb.distributed.ReduceOp.MAX
        with pytest.raises(ValueError, match=r"distributed.all_reduce: no process group; init_"):
            gb.distributed.all_reduce(gb.ones(1))
        with pytest.raises(AttributeError, match=r"torch.distributed.P2POp is not in garboard"):
            gb.distributed.P2POp  # noqa: B018

    def test_has_one_device_a_module(self):
        layer = gb.nn.Linear(2, 1)
        model = gb.nn.DataParallel(layer, device_ids=[0])

        assert model.module is layer
        assert model(gb.ones(3, 2)).tolist() == layer(gb.ones(3, 2)).tolist()
        assert [name for name, _ in model.named_parameters()] == ["module.weight", "module.bias"]
        with pytest.raises(NotImplementedError, match="DataParallel: 2 devices"):
            gb.nn.DataParallel(layer, device_ids=[0, 1])
        with pytest.raises(TypeError, match="DataParallel: module is of type int"):
            gb.nn.DataParallel(3)
        with pytest.raises(ValueError, match="DistributedDataParallel, or leave it out: no proc"):
            gb.nn.parallel.DistributedDataParallel(layer)

    def test_gives_all_to_the_one_device(self):
        from garboard.nn.parallel.scatter_gather import gather, scatter, scatter_kwargs

        x = gb.ones(2)

        assert scatter({"x": [x, 1]}, ["cpu"])[0]["x"][0].tolist() == [1, 1]
        assert scatter_kwargs((x,), {"k": 2}, ["cpu"])[1] == ({"k": 2},)
        assert gather([x], "cpu").tolist() == [1, 1]
        with pytest.raises(NotImplementedError, match="scatter: 2 devices"):
            scatter(x, ["cpu", "cpu"])
        with pytest.raises(NotImplementedError, match="gather: 2 outputs"):
            gather([x, x], "cpu")

    def test_takes_over_what_others_saved(self):
        from garboard.nn.modules.utils import consume_prefix_in_state_dict_if_present

        model = gb.nn.Sequential(gb.nn.Linear(2, 1), gb.nn.BatchNorm1d(1))
        saved = gb.nn.DataParallel(model).state_dict()
        names = [*saved]

        consume_prefix_in_state_dict_if_present(saved, "module.")
        consume_prefix_in_state_dict_if_present(saved, "module.")

        assert [*saved] == [name.removeprefix("module.") for name in names]
        assert not any(model.load_state_dict(saved))
        with pytest.raises(TypeError, match="state_dict is of type list; a dict is needed"):
            consume_prefix_in_state_dict_if_present([], "module.")


class TestSwitchesOfKernels:
    def test_are_kept(self):
        from garboard.nn.attention import SDPBackend, sdpa_kernel

        cuda = gb.backends.cuda
        with cuda.sdp_kernel(enable_flash=False, enable_math=True, enable_mem_efficient=False):
            assert (cuda.flash_sdp_enabled(), cuda.math_sdp_enabled()) == (False, True)
        cuda.enable_flash_sdp(True)

        assert cuda.flash_sdp_enabled()
        with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):
            assert cuda.mem_efficient_sdp_enabled()
        with (
            pytest.raises(TypeError, match="sdpa_kernel: backends is of type str"),
            sdpa_kernel("math"),
        ):
            pass
        with pytest.raises(TypeError, match="enable_flash_sdp: enabled is of type str"):
            cuda.enable_flash_sdp("yes")

    def test_compile_nothing(self):
        @gb.compiler.disable(recursive=False)
        def double(x: gb.Tensor) -> gb.Tensor:
            return x * 2

        assert double(gb.tensor(2.0)).item() == 4
        assert not gb.compiler.is_compiling()
        with pytest.raises(TypeError, match="disable: fn is of type int"):
            gb.compiler.disable(3)


class TestTorchScript:
    def test_returns_what_it_is_given(self):
        @gb.jit.script
        def doubled(x):
            return x * 2

        @gb.jit.ignore
        def plain(x):
            return x

        @gb.jit.unused(drop=True)
        def other(x):
            return x

        model = gb.nn.Linear(2, 1)

        assert doubled(gb.ones(1)).item() == plain(2) == other(2) == 2
        assert gb.jit.script(model) is gb.jit.trace(model, gb.ones(1, 2)) is gb.jit.freeze(model)
        assert (gb.jit.is_scripting(), gb.jit.is_tracing()) == (False, False)
        assert issubclass(gb.jit.ScriptModule, gb.nn.Module)
        assert isinstance(model, gb.jit.ScriptModule)
        assert not isinstance(gb.nn.Linear(2, 1), gb.jit.ScriptModule)
        assert model is gb.jit.optimize_for_inference(model) is gb.jit.annotate(int, model)

    @pytest.mark.parametrize("name", ["script", "trace", "export", "script_method"])
    def test_refuses_what_cannot_be_called(self, name):
        with pytest.raises(TypeError, match=rf"jit\.{name}: .* of type int"):
            getattr(gb.jit, name)(1)

    def test_says_how_to_save_instead(self):
        with pytest.raises(AttributeError, match=r"use gb.save\(model.state_dict\(\), path\)"):
            gb.jit.save  # noqa: B018


class TestOtherModules:
    def test_multiprocessing_is_pythons_own(self):
        import multiprocessing

        assert gb.multiprocessing.Queue == multiprocessing.Queue
        assert gb.multiprocessing.get_context("spawn").Process
        gb.multiprocessing.set_sharing_strategy("file_system")
        assert gb.multiprocessing.get_sharing_strategy() == "copy"
        assert gb.multiprocessing.get_all_sharing_strategies() == {"copy"}

    def test_the_hub_downloads_nothing(self):
        from garboard.utils.model_zoo import load_url

        assert load_url is gb.hub.load_state_dict_from_url
        with pytest.raises(NotImplementedError, match=r"hub.load: nothing is downloaded; fetch"):
            gb.hub.load("pytorch/vision", "resnet18")

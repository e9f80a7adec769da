"""Modules that PyTorch's programs import, and what stands in them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import OrderedDict, defaultdict, deque, namedtuple
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import Any

import garboard as gb
import pytest
from garboard.utils import _pytree as pytree

# May only grow: a module, and names that programs import from it.
MODULES = {
    "_C": (
        "DisableTorchFunctionSubclass DispatchKey DispatchKeySet Generator "
        "_ExcludeDispatchKeyGuard _LinAlgError _TensorMeta _log_api_usage_once"
    ),
    "_custom_ops": "custom_op get_ctx impl impl_abstract",
    "__config__": "parallel_info show",
    "__future__": "get_swap_module_params_on_conversion set_swap_module_params_on_conversion",
    "_jit_internal": "_copy_to_script_wrapper boolean_dispatch",
    "_dynamo": "OptimizedModule config disable graph_break is_compiling mark_dynamic reset",
    "_dynamo.eval_frame": "OptimizedModule is_dynamo_supported",
    "_dynamo._trace_wrapped_higher_order_op": "TransformGetItemToIndex",
    "autograd.profiler": "emit_itt emit_nvtx profile record_function",
    "_inductor.config": "",
    "fx.experimental.proxy_tensor": "get_proxy_mode",
    "_subclasses": "FakeTensor",
    "_subclasses.fake_tensor": "FakeTensor is_fake",
    "_tensor": "Tensor",
    "_utils": "_flatten_dense_tensors _rebuild_parameter _unflatten_dense_tensors",
    "backends.cpu": "get_cpu_capability",
    "cpu.amp": "GradScaler autocast",
    "distributions.utils": "_standard_normal _sum_rightmost broadcast_all lazy_property",
    "distributed": "ProcessGroup ReduceOp get_rank get_world_size group is_available",
    "distributed.checkpoint": "",
    "distributed.checkpoint.state_dict": "StateDictOptions get_state_dict set_state_dict",
    "distributed.device_mesh": "DeviceMesh",
    "distributed.fsdp.fully_sharded_data_parallel": "FullyShardedDataParallel",
    "distributed.tensor": "DTensor",
    "distributed.nn": "all_gather all_reduce",
    "distributed.nn.functional": "all_gather all_reduce",
    "fx": "Graph GraphModule Node Proxy wrap",
    "fx.graph_module": "GraphModule",
    "fx.node": "Node",
    "export": "Dim ExportedProgram export load register_dataclass save",
    "export._trace": "",
    "export.decomp_utils": "",
    "functional": "einsum meshgrid norm split stft tensordot unique",
    "futures": "Future collect_all wait_all",
    "hub": "HASH_REGEX _get_torch_home get_dir set_dir tqdm urlparse",
    "jit": "TracerWarning _overload _overload_method _script_if_tracing is_scripting",
    "jit.annotations": "BroadcastingList2 Dict List Optional Tuple Union",
    "library": "Library custom_op define impl impl_abstract register_autograd register_fake",
    "mps": "device_count empty_cache is_available manual_seed",
    "mtia": "device_count is_available manual_seed_all",
    "multiprocessing": "ProcessContext ProcessRaisedException spawn start_processes",
    "multiprocessing.spawn": "ProcessContext ProcessException ProcessRaisedException spawn",
    "nn.parallel.distributed": "DistributedDataParallel",
    "nn.parallel.scatter_gather": "gather scatter scatter_kwargs",
    "ao.quantization": "DeQuantStub QuantStub QuantWrapper",
    "quantization": "DeQuantStub QuantStub QuantWrapper",
    "onnx": "is_in_onnx_export register_custom_op_symbolic unregister_custom_op_symbolic",
    "onnx.symbolic_helper": "parse_args",
    "onnx.symbolic_opset11": "",
    "optim.optimizer": "Optimizer ParamsT _default_to_fused_or_foreach _params_t required",
    "overrides": "handle_torch_function has_torch_function is_tensor_like",
    "return_types": "aminmax max slogdet sort svd topk",
    "serialization": "MAP_LOCATION add_safe_globals load normalize_storage_type safe_globals save",
    "storage": "TypedStorage UntypedStorage",
    "torch_version": "TorchVersion",
    "testing": "assert_allclose assert_close make_tensor",
    "utils._pytree": (
        "SUPPORTED_NODES LeafSpec _get_node_type tree_flatten tree_leaves tree_map tree_map_only "
        "tree_unflatten"
    ),
    "utils.cpp_extension": "BuildExtension CUDAExtension CUDA_HOME CppExtension load load_inline",
    "utils.deterministic": "fill_uninitialized_memory",
    "utils.benchmark": "Compare Measurement TaskSpec Timer",
    "utils.model_zoo": "load_url tqdm",
    "xpu": "device_count empty_cache is_available manual_seed manual_seed_all",
    "utils.data.dataloader": "_BaseDataLoaderIter _SingleProcessDataLoaderIter default_collate",
    "utils.flop_counter": "FlopCounterMode",
    "utils.hooks": "RemovableHandle",
}


@pytest.mark.parametrize(("module", "names"), MODULES.items())
def test_a_module_has_its_names(module, names):
    found = import_module(f"garboard.{module}")

    assert [name for name in names.split() if not hasattr(found, name)] == []


@pytest.mark.parametrize("name", ["functional", "overrides", "return_types", "serialization"])
def test_a_module_comes_when_it_is_named(name):
    assert getattr(gb, name).__name__ == f"garboard.{name}"


def test_private_modules_come_when_they_are_named():
    program = (
        "import garboard as gb; print(gb.utils._pytree, gb._jit_internal, gb._tensor, gb._utils)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr


class TestTypes:
    def test_of_results_are_those_of_functions(self):
        x = gb.ones(2, 2)

        assert isinstance(x.max(dim=0), gb.return_types.max)
        assert isinstance(x.topk(1), gb.return_types.topk)
        assert isinstance(gb.aminmax(x), gb.return_types.aminmax)
        assert isinstance(gb.slogdet(x), gb.return_types.slogdet)
        assert isinstance(gb.svd(x), gb.return_types.svd)

    def test_of_storages_are_one(self):
        assert isinstance(gb.ones(1).untyped_storage(), gb.storage.UntypedStorage)
        assert isinstance(gb.ones(1).untyped_storage(), gb.UntypedStorage)

    def test_of_what_is_compiled_are_modules(self):
        assert gb.ScriptModule is gb.jit.ScriptModule

    def test_of_versions_compare_numbers(self):
        version = gb.torch_version.TorchVersion("1.10.0+cpu")

        assert version > "1.9"
        assert version >= (1, 10)
        assert version == "1.10"
        assert not version < "1.10.0rc1"
        assert isinstance(version, str)
        with pytest.raises(TypeError, match="TorchVersion: a version is of type int"):
            assert version > 1


class TestOverrides:
    def test_know_what_is_a_tensor_and_what_is_not_taken_over(self):
        x = gb.ones(2)

        assert not gb.overrides.has_torch_function((x,))
        assert gb.overrides.handle_torch_function(gb.add, (x,), x, x).tolist() == [2, 2]
        assert gb.overrides.is_tensor_like(gb.nn.Parameter(x))
        assert not gb.overrides.is_tensor_like([x])
        assert gb.overrides.is_tensor_method_or_property(gb.Tensor.add)
        assert not gb.overrides.is_tensor_method_or_property(gb.add)


Pair = namedtuple("Pair", "a b")
NESTS: list[Any] = [
    [1, (2, {"a": 3}), None],
    OrderedDict(a=1, b=[2]),
    defaultdict(list, a=1),
    deque([1, 2], maxlen=3),
    Pair(1, [2]),
    [],
    7,
]


class TestNests:
    @pytest.mark.parametrize("nest", NESTS, ids=repr)
    def test_are_put_together_as_they_were(self, nest):
        leaves, spec = pytree.tree_flatten(nest)

        found = pytree.tree_unflatten(leaves, spec)

        assert found == nest
        assert type(found) is type(nest)
        assert spec.num_leaves == len(leaves)

    def test_are_mapped_leaf_by_leaf(self):
        nest = {"a": [gb.ones(2), 3], "b": None}

        found = pytree.tree_map_only(gb.Tensor, lambda it: it * 2, nest)

        assert found["a"][0].tolist() == [2, 2]
        assert (found["a"][1], found["b"]) == (3, None)
        assert pytree.tree_map(lambda x, y: x + y, [1, {"k": 2}], [10, {"k": 20}]) == [
            11,
            {"k": 22},
        ]
        assert pytree.tree_leaves([(1, 2), 3], is_leaf=lambda it: type(it) is tuple) == [(1, 2), 3]

    def test_are_asked_about_the_leaves_of_one_type(self):
        nest = {"a": [1, "b"], "c": (2, None)}

        assert pytree.tree_all_only(int, lambda x: x > 0, nest)
        assert not pytree.tree_all_only((int, str), lambda x: x != "b", nest)
        assert pytree.tree_any_only(int, lambda x: x == 2, nest)
        assert not pytree.tree_any_only(lambda x: x is None, bool, nest)

    def test_of_different_forms_are_refused(self):
        with pytest.raises(ValueError, match="tree_map: nests of different forms"):
            pytree.tree_map(lambda x, y: x, [1, 2], [1])
        with pytest.raises(ValueError, match="tree_unflatten: 1 leaves; 2 are needed"):
            pytree.tree_unflatten([1], pytree.tree_structure([1, 2]))

    def test_of_a_class_of_ones_own(self):
        class Box:
            def __init__(self, held: object) -> None:
                self.held = held

        pytree.register_pytree_node(Box, lambda it: ([it.held], None), lambda parts, _: Box(*parts))

        assert pytree.tree_map(lambda x: x + 1, [Box(1)])[0].held == 2
        with pytest.raises(ValueError, match="register_pytree_node: Box is known"):
            pytree.register_pytree_node(Box, lambda it: ([], None), lambda parts, _: Box(0))

    def test_of_a_class_made_like_a_dict_are_taken_apart_as_dicts_are(self):
        class Outputs(OrderedDict[str, Any]):
            pass

        pytree.register_pytree_node(
            Outputs,
            pytree._dict_flatten,
            lambda parts, keys: Outputs(pytree._dict_unflatten(parts, keys)),
            flatten_with_keys_fn=pytree._dict_flatten_with_keys,
        )

        doubled = pytree.tree_map(lambda it: it * 2, Outputs(a=1, b=[2]))

        assert type(doubled) is Outputs
        assert doubled == {"a": 2, "b": [4]}
        assert pytree._dict_flatten_with_keys({"a": 1}) == ([(pytree.MappingKey("a"), 1)], ["a"])

    def test_are_taken_apart_by_programs_themselves(self):
        nest = Pair([1], 2)

        kind = pytree._get_node_type(nest)
        parts, context = pytree.SUPPORTED_NODES[kind].flatten_fn(nest)
        spec = pytree.TreeSpec(kind, context, [pytree.LeafSpec()] * 2)

        assert parts == [[1], 2]
        assert pytree.tree_unflatten(parts, spec) == nest
        assert pytree._get_node_type(3) not in pytree.SUPPORTED_NODES


def test_a_function_may_be_one_of_two():
    from garboard._jit_internal import boolean_dispatch

    chosen = boolean_dispatch("up", 1, False, lambda x, up: x + 1, lambda x, up=False: x - 1)

    assert (chosen(1), chosen(1, True), chosen(1, up=True)) == (0, 2, 2)


def test_no_tensor_is_shared_by_processes():
    assert not isinstance(gb.ones(1), gb.distributed.tensor.DTensor)
    with pytest.raises(NotImplementedError, match="DTensor: there is one process"):
        gb.distributed.tensor.DTensor(gb.ones(1))


class TestSettingsOfCompilers:
    def test_take_what_they_are_given(self):
        gb._dynamo.config.suppress_errors = True
        gb._inductor.config.triton.unique_kernel_names = True

        assert gb._dynamo.config.suppress_errors is True
        with gb._inductor.config.patch(max_autotune=True):
            assert gb.compile(len)([1]) == 1

    def test_make_no_module_another(self):
        model = gb.nn.Linear(1, 1)

        assert not isinstance(gb.compile(model), gb._dynamo.OptimizedModule)


class TestFlatTensors:
    def test_are_split_as_they_were_joined(self):
        tensors = [gb.ones(2, 1), gb.arange(3.0), gb.tensor(5.0)]

        flat = gb._utils._flatten_dense_tensors(tensors)
        found = gb._utils._unflatten_dense_tensors(flat, tensors)

        assert flat.tolist() == [1, 1, 0, 1, 2, 5]
        assert [it.tolist() for it in found] == [it.tolist() for it in tensors]
        assert found[0].data_ptr() == flat.data_ptr()

    def test_of_other_sizes_are_refused(self):
        with pytest.raises(gb.ShapeError, match=r"sizes \[3\]; \[2\] are needed"):
            gb._utils._unflatten_dense_tensors(gb.ones(3), [gb.ones(2)])


class TestTimers:
    def test_tell_the_seconds_of_a_run(self):
        ticks = iter(range(100))
        timer = gb.utils.benchmark.Timer("pass", timer=lambda: float(next(ticks)), label="nothing")

        measured = timer.timeit(4)

        assert (measured.times, measured.median, measured.iqr) == ([0.25], 0.25, 0)
        assert repr(measured) == "nothing: median 250.00 ms, 1 x 4 runs"

    def test_set_the_threads_while_they_run(self):
        before, seen = gb.get_num_threads(), []

        gb.utils.benchmark.Timer(
            "seen.append(gb.get_num_threads())", globals={"gb": gb, "seen": seen}
        ).timeit(1)

        assert set(seen) == {1}
        assert gb.get_num_threads() == before


def fail_as_number_1(number: int, text: str) -> None:
    if number == 1:
        raise ValueError(text)


def end(number: int) -> None:
    os._exit(3)


class TestProcesses:
    def test_are_started_and_waited_for(self):
        assert gb.multiprocessing.spawn(fail_as_number_1, ("not me",), nprocs=1) is None

    def test_that_fail_say_why(self):
        with pytest.raises(
            gb.multiprocessing.ProcessRaisedException, match=r"(?s)process 1 raised.*ValueError: so"
        ) as told:
            gb.multiprocessing.spawn(fail_as_number_1, ("so",), nprocs=2)
        assert told.value.error_index == 1
        assert told.value.error_pid > 0
        assert isinstance(told.value, gb.multiprocessing.ProcessException)

    def test_that_end_say_how(self):
        processes = gb.multiprocessing.start_processes(end, join=False, start_method="fork")

        assert isinstance(processes, gb.multiprocessing.ProcessContext)
        assert len(processes.pids()) == 1
        with pytest.raises(gb.multiprocessing.ProcessExitedException, match="exit code 3"):
            processes.join()


def test_the_hub_has_a_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(gb.hub, "_chosen", None)
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))

    assert gb.hub.get_dir() == str(tmp_path / "hub")

    gb.hub.set_dir(tmp_path)
    assert gb.hub.get_dir() == str(tmp_path)


def test_the_hub_knows_the_hash_in_the_name_of_a_file():
    assert gb.hub.HASH_REGEX.search("resnet18-f37072fd.pth").group(1) == "f37072fd"


def test_the_cpu_has_autocast_under_its_older_name():
    x = gb.ones(2, 2)

    with gb.cpu.amp.autocast():
        assert (x @ x).dtype == gb.bfloat16
    with gb.cpu.amp.autocast(dtype=gb.float16):
        assert (x @ x).dtype == gb.float16


class TestChecks:
    @pytest.mark.parametrize(
        ("name", "error"),
        [
            ("_check", RuntimeError),
            ("_check_index", IndexError),
            ("_check_value", ValueError),
            ("_check_type", TypeError),
            ("_check_not_implemented", NotImplementedError),
            ("_check_with", KeyError),
        ],
    )
    def test_raise_their_error_where_a_condition_fails(self, name, error):
        check = getattr(gb, name)
        if name.endswith("_with"):
            check = partial(check, error)

        check(True, "never read")

        with pytest.raises(error, match="two are needed"):
            check(False, lambda: "two are needed")

    def test_of_what_is_no_bool_are_refused(self):
        for given in (1, "yes", gb.tensor(True)):
            with pytest.raises(TypeError, match=r"a condition of type .*; a bool is needed"):
                gb._check(given)
        with pytest.raises(TypeError, match="cond is of type bool; a Tensor is needed"):
            gb._check_tensor_all(True)

    def test_of_an_error_that_is_none_are_refused(self):
        for kind in (3, "ValueError", int, KeyboardInterrupt):
            with pytest.raises(TypeError, match="a class made of Exception is needed"):
                gb._check_with(kind, True)
            with pytest.raises(TypeError, match="a class made of Exception is needed"):
                gb._check_tensor_all_with(kind, gb.tensor(True))

    def test_of_sizes_take_those_within_bounds(self):
        gb._check_is_size(0)
        gb._check_is_size(3, max=3)

        for size, bound in ((-1, None), (4, 3)):
            with pytest.raises(RuntimeError):
                gb._check_is_size(size, max=bound)
        with pytest.raises(TypeError):
            gb._check_is_size(1.5)

    def test_of_tensors_raise_an_error_of_any_type(self):
        gb._check_tensor_all_with(KeyError, gb.tensor([True, True]))

        with pytest.raises(KeyError, match="both are needed"):
            gb._check_tensor_all_with(KeyError, gb.tensor([True, False]), "both are needed")
        with pytest.raises(TypeError, match="bool is needed"):
            gb._check_tensor_all(gb.ones(2))

    def test_of_tensors_read_their_elements(self, no_leaks):
        gb._check_tensor_all(gb.tensor([True, True]))
        gb._assert_async(gb.tensor(3))

        with pytest.raises(RuntimeError, match=r"^all are needed$"):
            gb._check_tensor_all(gb.tensor([True, False]), lambda: "all are needed")
        with pytest.raises(RuntimeError, match=r"^one is needed$"):
            gb._assert_async(gb.tensor(False), "one is needed")


def test_switches_of_cudnn_hold_in_their_block():
    with gb.backends.cudnn.flags(enabled=True, deterministic=False, benchmark=True):
        assert not gb.backends.cudnn.deterministic

    assert gb.backends.cudnn.deterministic


class TestGuards:
    def test_of_a_tracer_change_nothing(self):
        @gb.fx.wrap
        def doubled(x):
            return 2 * x

        assert doubled(3) == 6
        assert gb.fx.wrap("doubled") == "doubled"
        assert not isinstance(gb.ones(1), gb.fx.Proxy)
        with pytest.raises(TypeError, match=r"^Proxy: node is of type NoneType"):
            gb.fx.Proxy(None)
        with pytest.raises(TypeError, match=r"^wrap: fn_or_name is of type int"):
            gb.fx.wrap(3)
        with pytest.raises(ImportError, match=r"torch\.fx\.ProxyableClassMeta is not in garboard"):
            from garboard.fx import ProxyableClassMeta  # noqa: F401

    @pytest.mark.parametrize(
        "kind",
        [
            "SymBool",
            "SymFloat",
            "SymInt",
            "_subclasses.FakeTensor",
            "_subclasses.fake_tensor.FakeTensorMode",
            "autograd.profiler.emit_itt",
            "autograd.profiler.emit_nvtx",
            "TensorType",
        ],
    )
    def test_of_kinds_that_only_pytorch_makes_have_no_instances_and_make_none(self, kind):
        found = attrgetter(kind)(gb)

        assert not any(isinstance(it, found) for it in (gb.ones(1), 1, 2.0, gb.nn.Linear(1, 1)))
        with pytest.raises((NotImplementedError, TypeError), match=rf"^{found.__name__}: "):
            found()

    def test_of_traces_tell_that_there_is_none(self):
        assert not gb._subclasses.fake_tensor.is_fake(gb.ones(1))
        assert gb.fx.experimental.proxy_tensor.get_proxy_mode() is None
        assert not gb.cuda.is_current_stream_capturing()
        assert gb.Stream is gb.cuda.Stream

    def test_of_an_exporter_say_that_nothing_is_exported(self):
        assert not gb.onnx.is_in_onnx_export()
        with pytest.raises(AttributeError, match=r"torch\.onnx\.export .*; save the state_dict"):
            gb.onnx.export  # noqa: B018
        assert gb.onnx.symbolic_helper.parse_args("v", "i")(len) is len
        assert gb.onnx.register_custom_op_symbolic("tests::op", len, 11) is None
        assert gb.onnx.unregister_custom_op_symbolic("tests::op", 11) is None
        with pytest.raises(TypeError, match="register_custom_op_symbolic: symbolic_fn"):
            gb.onnx.register_custom_op_symbolic("tests::op", 3, 11)
        with pytest.raises(RuntimeError, match="get_ctx: no function that tells shapes"):
            import_module("garboard._custom_ops").get_ctx()

    def test_of_quantization_pass_on_what_they_are_given(self):
        borders = gb.ao.quantization
        x = gb.tensor([-1.0, 2.0])

        wrapped = borders.QuantWrapper(gb.nn.ReLU())

        assert borders.DeQuantStub()(borders.QuantStub()(x)) is x
        assert wrapped(x).tolist() == [0, 2]
        assert list(dict(wrapped.named_children())) == ["quant", "dequant", "module"]
        assert borders.QuantStub("rule").qconfig == "rule"

    def test_of_a_dispatcher_are_sets_and_a_block_that_leaves_autocast_out(self):
        key, keys = gb._C.DispatchKey, gb._C.DispatchKeySet
        both = keys(key.AutocastCPU) | keys(key.CPU)
        layer, x = gb.nn.Linear(2, 2), gb.ones(1, 2)

        with gb.autocast("cpu"):
            with gb._C._ExcludeDispatchKeyGuard(both):
                inside = layer(x).dtype
            with gb._C._ExcludeDispatchKeyGuard(keys(key.CPU)):
                of_others = layer(x).dtype
            behind = layer(x).dtype

        assert (inside, of_others, behind) == (gb.float32, gb.bfloat16, gb.bfloat16)
        assert both & keys(key.CPU) == both - keys(key.AutocastCPU) == keys([key.CPU])
        assert repr(both) == "DispatchKeySet(AutocastCPU, CPU)"
        with pytest.raises(TypeError, match="DispatchKeySet: keys"):
            keys(3)

    def test_of_the_native_module_are_its_error_and_switches_without_effect(self):
        assert gb._C._LinAlgError is gb.linalg.LinAlgError
        assert gb._C._jit_set_profiling_mode(False) is None
        assert not gb._C._get_tracing_state()

    def test_of_the_build_read_what_it_is_made_of(self):
        assert gb.__version__ in gb.__config__.show()

"""Paths and private names that libraries written for PyTorch import, and what they do here."""

from __future__ import annotations

import gc
import importlib
import sys

import garboard as gb
import pytest

pytestmark = pytest.mark.no_leaks


@pytest.mark.parametrize(
    "path",
    [
        "_C.ScriptMethod",
        "_C.ScriptObject",
        "_C._distributed_rpc.PyRRef",
        "_C._functorch.is_batchedtensor",
        "_C._nn.gelu",
        "_C._profiler._ExperimentalConfig",
        "_C._is_tracing",
        "_dynamo.utils.warn_once",
        "_functorch.apis.vmap",
        "_functorch.eager_transforms.jacrev",
        "_functorch.vmap._broadcast_to_and_flatten",
        "_guards.active_fake_mode",
        "_subclasses.fake_tensor.FakeTensorConverter",
        "_vmap_internals._vmap",
        "autograd.functional._as_tuple",
        "autograd.functional._construct_standard_basis_for",
        "autograd.functional._grad_postprocess",
        "autograd.functional._tuple_postprocess",
        "distributed._composable.fsdp.FSDPModule",
        "distributed._composable.fsdp.CPUOffloadPolicy",
        "distributed._tensor.DTensor",
        "distributed._tensor.experimental.implicit_replication",
        "distributed._tensor.placement_types.TensorMeta",
        "distributed.checkpoint.state_dict._init_optim_state",
        "distributed.distributed_c10d.ProcessGroup",
        "distributed.fsdp.FullyShardedDataParallel",
        "distributed.fsdp.api.StateDictSettings",
        "distributed.fsdp.fully_sharded_data_parallel.CPUOffload",
        "distributed.optim.ZeroRedundancyOptimizer",
        "distributions.constraints._IndependentConstraint",
        "fx._symbolic_trace.compatibility",
        "nn.modules.conv._ConvTransposeMixin",
        "nn.modules.module._global_parameter_registration_hooks",
        "nn.parameter.UninitializedTensorMixin",
        "nn.parameter._ParameterMeta",
        "nn.utils._named_member_accessor.swap_tensor",
        "nn.utils._per_sample_grad.call_for_per_sample_grads",
        "profiler.profiler.profile",
        "utils._contextlib._DecoratorContextManager",
        "utils._foreach_utils._group_tensors_by_device_and_dtype",
        "utils._pytree.Context",
        "utils._python_dispatch.is_traceable_wrapper_subclass",
        "utils.data._utils.collate.collate_tensor_fn",
        "utils.data._utils.fetch._IterableDatasetFetcher",
        "utils.data._utils.pin_memory.pin_memory",
        "utils.data._utils.worker._generate_state",
        "utils.data.dataloader._collate_fn_t",
        "utils.data.dataloader._worker_init_fn_t",
        "utils.weak.WeakIdKeyDictionary",
    ],
)
def test_a_path_of_torch_is_there(path):
    module, _, name = path.rpartition(".")

    assert hasattr(importlib.import_module(f"garboard.{module}"), name)


def test_parameters_are_shared_by_no_processes():
    from garboard.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
    from garboard.distributed.tensor.experimental import implicit_replication

    model = gb.nn.Linear(1, 1)

    assert not isinstance(model, FSDPModule)
    assert MixedPrecisionPolicy(gb.bfloat16).param_dtype is gb.bfloat16
    with pytest.raises(NotImplementedError, match="FSDPModule: there is one process"):
        FSDPModule()
    for refused in (fully_shard, implicit_replication, gb.distributed.isend):
        with pytest.raises(NotImplementedError, match=f"{refused.__name__}: there is one process"):
            refused(model)


def test_what_sharding_would_be_told_can_be_made():
    from garboard.distributed import fsdp

    assert fsdp.ShardingStrategy["FULL_SHARD"] is fsdp.ShardingStrategy(1)
    assert fsdp.FullStateDictConfig(True, rank0_only=True).offload_to_cpu
    assert not fsdp.LocalOptimStateDictConfig().offload_to_cpu
    assert fsdp.MixedPrecision(reduce_dtype=gb.float16).reduce_dtype is gb.float16
    assert fsdp.CPUOffload() == fsdp.CPUOffload(offload_params=False)


def test_plans_of_how_layers_would_be_cut_can_be_read_and_not_followed():
    from garboard.distributed import tensor
    from garboard.distributed.tensor import parallel

    plan = {"out": parallel.RowwiseParallel(output_layouts=tensor.Shard(1))}

    assert isinstance(plan["out"], parallel.ParallelStyle)
    assert plan["out"].output_layouts == tensor.Shard(1) != tensor.Shard(0)
    assert [tensor.Shard(1).is_shard(dim) for dim in (None, 0, 1)] == [True, False, True]
    assert tensor.Partial().is_partial()
    assert not tensor.Partial().is_replicate()
    for refused in (parallel.parallelize_module, tensor.distribute_tensor):
        with pytest.raises(NotImplementedError, match=f"{refused.__name__}: there is one process"):
            refused(gb.nn.Linear(1, 1), None, plan)


def test_a_warning_is_given_once_for_each_text():
    from garboard._dynamo.utils import warn_once

    text = "a text that no other test warns of"
    with pytest.warns(UserWarning, match=text) as told:
        assert [warn_once(text), warn_once(text)] == [None, None]

    assert [it.filename for it in told] == [__file__]


def test_no_compiler_traces_tensors_without_elements():
    from garboard._guards import active_fake_mode, detect_fake_mode

    assert active_fake_mode() is None
    assert detect_fake_mode([gb.ones(1)]) is None
    with gb._subclasses.fake_tensor.unset_fake_temporarily() as mode:
        assert mode is None
    assert not gb._C._is_tracing()


def test_no_tensor_carries_a_mask():
    assert not isinstance(gb.ones(1), gb.masked.MaskedTensor)
    assert not gb.masked.is_masked_tensor(gb.ones(1))
    for make in (gb.masked.MaskedTensor, gb.masked.masked_tensor, gb.masked.as_masked_tensor):
        with pytest.raises(NotImplementedError, match=rf"^{make.__name__}: .*gb\.where"):
            make(gb.ones(1), gb.tensor([True]))


def test_tensors_are_cut_into_groups_of_one_device_and_dtype():
    from garboard.utils._foreach_utils import _group_tensors_by_device_and_dtype as groups_of

    a, b, c = gb.ones(1), gb.ones(2).double(), gb.ones(3)
    groups = groups_of([[a, b, c], [None, b, a]], with_indices=True)

    assert [places for _, places in groups.values()] == [[0, 2], [1]]
    (lists, _), _ = groups.values()
    assert [[it is None or it.numel() for it in row] for row in lists] == [[1, 3], [True, 1]]
    for wrong, error in (
        ([], ValueError),
        ([[a], []], ValueError),
        ([[1]], TypeError),
        ([[a], [1]], TypeError),
        (3, TypeError),
    ):
        with pytest.raises(error):
            groups_of(wrong)


def test_a_block_of_ones_own_decorates_each_call_with_a_copy():
    from garboard.utils._contextlib import _DecoratorContextManager, context_decorator

    heard = []

    class Block(_DecoratorContextManager):
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            heard.append(f"in {self.name}")

        def __exit__(self, *error):
            heard.append(f"out {self.name}")

        def clone(self):
            return type(self)(self.name)

    @Block("a")
    def again(count):
        return again(count - 1) if count else "done"

    assert again(1) == "done"
    assert heard == ["in a", "in a", "out a", "out a"]
    assert context_decorator(gb.no_grad, gb.is_grad_enabled)() is False
    with pytest.raises(TypeError):
        context_decorator(3, gb.is_grad_enabled)
    with pytest.raises(TypeError):
        Block("b")(3)


def test_keys_that_are_held_weakly_are_objects_by_identity():
    from garboard.utils.weak import TensorWeakRef, WeakIdKeyDictionary

    x, y = gb.ones(2), gb.ones(2)
    known = WeakIdKeyDictionary({x: 1, y: 2})

    assert known[x] == 1
    assert known[y] == 2
    assert gb.ones(2) not in known
    assert 3 not in known
    assert sorted(known.copy().values()) == [1, 2]
    held = TensorWeakRef(y)
    del known[x], y
    gc.collect()
    assert len(known) == 0
    assert held() is None
    with pytest.raises(TypeError):
        known[3] = 4
    with pytest.raises(KeyError):
        known[x]
    with pytest.raises(TypeError, match="TensorWeakRef"):
        TensorWeakRef(3)


def test_a_class_that_says_its_tensors_wraps_them():
    from garboard.utils._python_dispatch import is_traceable_wrapper_subclass

    class Wrapper(gb.Tensor):
        def __tensor_flatten__(self):
            return [], None

        def __tensor_unflatten__(*given):
            return None

    assert is_traceable_wrapper_subclass(Wrapper([1.0]))
    assert not is_traceable_wrapper_subclass(gb.nn.Parameter(gb.ones(1)))
    assert not is_traceable_wrapper_subclass(3)


def test_the_levels_of_batches_are_counted_from_the_outermost():
    from garboard._C import _functorch as native
    from garboard._functorch import vmap

    x = gb.ones(1)
    assert not native.is_batchedtensor(x)
    assert not native.is_gradtrackingtensor(x)
    assert native.get_unwrapped(x) is x
    assert native.maybe_get_level(x) == -1
    seen = []

    def inner(one, two):
        seen.extend(native.maybe_get_level(it) for it in (one, two, x))
        assert native.is_batchedtensor(one)
        assert native.get_unwrapped(one).shape == (2,)
        added = native._add_batch_dim(gb.arange(2.0), 0, 1)
        return native._remove_batch_dim(one + added, 1, 2, 0).sum() + two

    made = gb.func.vmap(gb.func.vmap(inner, (None, 0)))(gb.ones(2), gb.zeros(2, 3))
    assert made.tolist() == [[3.0] * 3] * 2
    assert seen == [1, 2, -1]
    with pytest.raises(ValueError, match="level 1; 0 calls of vmap are running"):
        native._add_batch_dim(x, 0, 1)
    with pytest.raises(NotImplementedError, match=r"gb\.func\.vmap"):
        vmap._unwrap_batched(x)
    with pytest.raises(TypeError):
        native.is_batchedtensor(3)
    form = vmap.tree_flatten({"a": 1, "b": [2, 3]})[1]
    assert vmap._broadcast_to_and_flatten({"a": 0, "b": None}, form) == [0, None, None]
    assert vmap._broadcast_to_and_flatten((0, 1), form) is None
    assert vmap._broadcast_to_and_flatten(0, form) == [0, 0, 0]
    leaf = gb.utils._pytree.tree_flatten(1)[1]
    assert vmap._broadcast_to_and_flatten((0, 1), leaf) is None
    assert vmap._broadcast_to_and_flatten((0, 1), leaf, lambda it: it == 1) is None
    assert vmap._broadcast_to_and_flatten((0, 1), form, lambda it: it == (0, 1)) == [(0, 1)] * 3


def test_batches_are_fetched_as_loaders_fetch_them():
    from garboard.utils.data._utils.fetch import _IterableDatasetFetcher, _MapDatasetFetcher
    from garboard.utils.data._utils.worker import _generate_state

    stream = _IterableDatasetFetcher(range(5), True, list, True)
    assert stream.fetch([0, 0, 0]) == [0, 1, 2]
    with pytest.raises(StopIteration):
        stream.fetch([0, 0, 0])
    with pytest.raises(StopIteration):
        stream.fetch([0])
    assert _MapDatasetFetcher([5, 6], False, lambda it: it, False).fetch(1) == 6
    with pytest.raises(TypeError):
        _MapDatasetFetcher([5, 6], True, None, False)
    assert _generate_state(1 << 40, 3) != _generate_state(1 << 40, 4)
    with pytest.raises(TypeError):
        _generate_state("a", 0)


def test_a_tensor_takes_the_place_of_a_parameter_by_name():
    from garboard.nn.utils._named_member_accessor import set_tensor, swap_tensor

    layer = gb.nn.Linear(2, 1)
    layer.register_buffer("count", gb.zeros(1))
    weight, values = layer.weight, gb.ones(1, 2)

    assert swap_tensor(layer, "weight", values) is weight
    assert layer.weight is values
    assert layer(gb.ones(1, 2)).shape == (1, 1)
    swap_tensor(layer, "weight", weight)
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]
    assert swap_tensor(layer, "count", gb.ones(1)).item() == 0
    set_tensor(layer, "extra", gb.ones(3))
    assert layer.extra.tolist() == [1, 1, 1]
    assert swap_tensor(layer, "extra", None).numel() == 3
    assert not hasattr(layer, "extra")
    for given, error in (
        ((layer, "a.b", values), KeyError),
        ((layer, "missing", values), AttributeError),
        ((layer, "weight", 3), TypeError),
        ((3, "weight", values), TypeError),
        ((layer, 3, values), TypeError),
    ):
        with pytest.raises(error):
            swap_tensor(*given)


def test_parts_of_ops_stand_at_the_root():
    x = gb.tensor([[0.3, -1.0, 2.0]], requires_grad=True)
    seeds = gb.tensor([[1.0, 2.0, 3.0]])

    for op, gradient in (
        (gb.softmax, gb._softmax_backward_data),
        (gb.log_softmax, gb._log_softmax_backward_data),
    ):
        result = op(x, -1)
        (wanted,) = gb.autograd.grad(result, x, seeds)
        found = gradient(seeds, result.detach(), -1, gb.float32)
        gb.testing.assert_close(found, wanted)
    assert gb._shape_as_tensor(gb.ones(2, 0)).tolist() == [2, 0]
    assert gb._cast_Long(gb.ones(1)).dtype == gb.int64
    shape = gb.full((4,), 2.0, requires_grad=True)
    drawn = gb._standard_gamma(shape)
    drawn.sum().backward()
    assert bool((drawn > 0).all())
    assert bool((shape.grad > 0).all())
    gb.testing.assert_close(gb._sample_dirichlet(gb.ones(5, 3)).sum(-1), gb.ones(5))
    for wrong in (lambda: gb._standard_gamma(3), lambda: gb._standard_gamma(gb.arange(2))):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(gb.ShapeError):
        gb._sample_dirichlet(gb.tensor(1.0))


def test_a_class_has_keys_of_its_own_in_paths():
    from garboard.utils import _pytree as pytree

    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

    pytree.register_pytree_node(
        Pair,
        lambda it: ([it.a, it.b], None),
        lambda parts, _: Pair(*parts),
        flatten_with_keys_fn=lambda it: (
            [(pytree.GetAttrKey("a"), it.a), (pytree.GetAttrKey("b"), it.b)],
            None,
        ),
    )
    try:
        pairs, form = pytree.tree_flatten_with_path([Pair(1, {"k": 2})])
        assert [pytree.keystr(path) for path, _ in pairs] == ["[0].a", "[0].b['k']"]
        assert pytree.tree_unflatten([5, 6], form)[0].b == {"k": 6}
        assert not pytree.tree_is_leaf(Pair(1, 2))
        both = gb.func.vmap(lambda it: Pair(it.a + it.b, it.a))(Pair(gb.ones(2), gb.zeros(2)))
        assert both.a.tolist() == [1, 1]
        assert isinstance(both, Pair)
        slopes = gb.func.grad(lambda it: (it.a * it.b).sum())(Pair(gb.ones(2), gb.zeros(2)))
        assert slopes.b.tolist() == [1, 1]
    finally:
        del pytree.SUPPORTED_NODES[Pair]
    with pytest.raises(TypeError):
        pytree.register_pytree_node(Pair, 3, 4)
    assert pytree.tree_is_leaf(Pair(1, 2))


def test_what_joins_processes_is_refused_when_it_is_made():
    from garboard.distributed.optim import ZeroRedundancyOptimizer

    assert issubclass(ZeroRedundancyOptimizer, gb.optim.Optimizer)
    with pytest.raises(NotImplementedError, match="one process a program"):
        ZeroRedundancyOptimizer([gb.ones(1)], optimizer_class=gb.optim.SGD)


def test_a_grid_says_which_names_it_takes():
    assert "indexing" in gb.meshgrid.__kwdefaults__
    assert gb.functional.meshgrid is gb.meshgrid
    rows, columns = gb.meshgrid([gb.arange(2), gb.arange(3)], indexing="xy")
    assert rows.shape == columns.shape == (3, 2)
    with pytest.raises(ValueError, match="indexing"):
        gb.meshgrid(gb.arange(2), indexing="ab")
    with pytest.raises(TypeError):
        gb.meshgrid(3)


def test_a_hook_of_all_modules_stands_in_its_table():
    from garboard.nn.modules import module

    heard = []
    with module.register_module_parameter_registration_hook(lambda *given: heard.append(given[1])):
        assert len(module._global_parameter_registration_hooks) == 1
        gb.nn.Linear(1, 1, bias=False)
    assert heard == ["weight"]
    assert not module._global_parameter_registration_hooks.values()


def test_a_block_that_takes_over_calls_is_told_of():
    from garboard._C import _is_torch_function_mode_enabled as is_on

    class Block(gb.overrides.TorchFunctionMode):
        pass

    assert not is_on()
    with Block():
        assert is_on()
        assert gb.ones(1).tolist() == [1]
    assert not is_on()


def test_a_level_of_duals_is_told_of():
    from garboard.autograd import forward_ad

    assert forward_ad._current_level == -1
    with forward_ad.dual_level():
        assert forward_ad._current_level == 0
    assert forward_ad._current_level == -1
    assert not hasattr(forward_ad, "_other_level")


def test_places_of_a_sparse_tensor_may_be_none_at_all():
    assert gb.sparse_coo_tensor(size=(2, 3)).to_dense().tolist() == [[0, 0, 0], [0, 0, 0]]
    for given in ((), (None, [1.0])):
        with pytest.raises(TypeError, match="no indices"):
            gb.sparse_coo_tensor(*given)
    assert isinstance(gb.ones(1).untyped_storage(), gb.StorageBase)


def test_switches_of_backends_are_never_frozen():
    gb.backends.disable_global_flags()

    assert not gb.backends.flags_frozen()
    gb.backends.cudnn.deterministic = gb.backends.cudnn.deterministic
    assert not any(
        (
            gb.distributed.is_gloo_available(),
            gb.distributed.is_mpi_available(),
            gb.distributed.is_nccl_available(),
        )
    )


def test_the_bytes_of_a_block_count_as_its_size():
    x = gb.zeros(1000)

    assert sys.getsizeof(x.untyped_storage()) >= x.nbytes
    assert sys.getsizeof(x.storage()) >= x.nbytes

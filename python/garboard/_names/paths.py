"""Modules that are names alone: the paths by which programs import what stands elsewhere here.

PyTorch has a file for each distribution and each optimizer, and programs name them. Such a module
is not a file here but a row of a table, made when its package is imported.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from garboard._arguments.texts import shown

__all__ = ["publish", "publish_paths"]

_OF_SHARDING = (
    "BackwardPrefetch CPUOffload FullOptimStateDictConfig FullStateDictConfig "
    "LocalOptimStateDictConfig LocalStateDictConfig MixedPrecision "
    "OptimStateDictConfig ShardedOptimStateDictConfig ShardedStateDictConfig "
    "ShardingStrategy StateDictConfig StateDictSettings StateDictType"
)

_OF_PLACES = "DTensor DeviceMesh Partial Placement Replicate Shard distribute_tensor"
_OF_STYLES = "ColwiseParallel ParallelStyle RowwiseParallel SequenceParallel parallelize_module"

_OF_FOLDERS = (
    "CheckpointException DefaultLoadPlanner DefaultSavePlanner FileSystemReader FileSystemWriter "
    "Metadata StorageReader StorageWriter async_save load load_state_dict save save_state_dict"
)

# By package: a path in it, and the names of the package that are found there.
_PATHS = {
    "garboard._higher_order_ops": {"associative_scan": "associative_scan"},
    "garboard.amp": {
        "autocast_mode": "_cast autocast custom_bwd custom_fwd is_autocast_available",
    },
    "garboard.autograd": {
        "grad_mode": (
            "enable_grad inference_mode no_grad set_grad_enabled set_multithreading_enabled"
        ),
        "gradcheck": "GradcheckError gradcheck gradgradcheck",
        "variable": "Variable",
    },
    "garboard.cuda.amp": {
        "autocast_mode": "autocast custom_bwd custom_fwd",
        "grad_scaler": "GradScaler",
    },
    "garboard.distributed": {
        "_composable": "",
        "_composable.fsdp": (
            "CPUOffloadPolicy FSDPModule MixedPrecisionPolicy OffloadPolicy fully_shard"
        ),
        "_tensor": _OF_PLACES,
        "_tensor.placement_types": "DTensorSpec Partial Placement Replicate Shard TensorMeta",
        "_tensor.experimental": "implicit_replication",
        "algorithms": "",
        "algorithms._checkpoint": "",
        "algorithms._checkpoint.checkpoint_wrapper": (
            "ActivationWrapper CheckpointImpl CheckpointWrapper OffloadWrapper _CHECKPOINT_PREFIX "
            "_CHECKPOINT_WRAPPED_MODULE apply_activation_checkpointing checkpoint_wrapper "
            "offload_wrapper"
        ),
        "checkpoint": _OF_FOLDERS,
        "checkpoint.api": "CheckpointException",
        "checkpoint.default_planner": "DefaultLoadPlanner DefaultSavePlanner",
        "checkpoint.filesystem": "FileSystemReader FileSystemWriter",
        "checkpoint.metadata": "Metadata",
        "checkpoint.state_dict_loader": "load load_state_dict",
        "checkpoint.state_dict_saver": "async_save save save_state_dict",
        "checkpoint.stateful": "Stateful",
        "checkpoint.storage": "StorageReader StorageWriter",
        "checkpoint.state_dict": (
            "StateDictOptions get_model_state_dict get_optimizer_state_dict get_state_dict "
            "set_model_state_dict set_optimizer_state_dict set_state_dict _init_optim_state"
        ),
        "device_mesh": "DeviceMesh",
        "distributed_c10d": (
            "Backend GroupMember ProcessGroup ReduceOp Work all_gather all_reduce barrier "
            "broadcast get_backend get_rank get_world_size group init_process_group is_initialized"
        ),
        "fsdp": (
            "CPUOffloadPolicy FSDPModule FullyShardedDataParallel MixedPrecisionPolicy "
            "OffloadPolicy fully_shard " + _OF_SHARDING
        ),
        "fsdp.api": _OF_SHARDING,
        "fsdp.fully_sharded_data_parallel": "FullyShardedDataParallel " + _OF_SHARDING,
        "optim": "ZeroRedundancyOptimizer",
        "rpc": "",
        "tensor": _OF_PLACES,
        "tensor.parallel": _OF_STYLES,
        "tensor.parallel.style": "ColwiseParallel ParallelStyle RowwiseParallel SequenceParallel",
        "tensor.placement_types": "Partial Placement Replicate Shard",
        "tensor.experimental": "implicit_replication",
        "nn": "",
        "nn.functional": "",
    },
    "garboard.distributions": {
        "bernoulli": "Bernoulli",
        "beta": "Beta",
        "binomial": "Binomial",
        "categorical": "Categorical",
        "cauchy": "Cauchy",
        "chi2": "Chi2",
        "continuous_bernoulli": "ContinuousBernoulli",
        "dirichlet": "Dirichlet",
        "distribution": "Distribution",
        "exponential": "Exponential",
        "fishersnedecor": "FisherSnedecor",
        "gamma": "Gamma",
        "generalized_pareto": "GeneralizedPareto",
        "geometric": "Geometric",
        "gumbel": "Gumbel",
        "half_cauchy": "HalfCauchy",
        "half_normal": "HalfNormal",
        "independent": "Independent",
        "inverse_gamma": "InverseGamma",
        "kumaraswamy": "Kumaraswamy",
        "laplace": "Laplace",
        "lkj_cholesky": "LKJCholesky",
        "log_normal": "LogNormal",
        "logistic_normal": "LogisticNormal",
        "lowrank_multivariate_normal": "LowRankMultivariateNormal",
        "mixture_same_family": "MixtureSameFamily",
        "multinomial": "Multinomial",
        "multivariate_normal": "MultivariateNormal",
        "negative_binomial": "NegativeBinomial",
        "normal": "Normal",
        "one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough",
        "pareto": "Pareto",
        "poisson": "Poisson",
        "relaxed_bernoulli": "RelaxedBernoulli",
        "relaxed_categorical": "RelaxedOneHotCategorical",
        "studentT": "StudentT",
        "transformed_distribution": "TransformedDistribution",
        "uniform": "Uniform",
        "von_mises": "VonMises",
        "weibull": "Weibull",
        "wishart": "Wishart",
    },
    "garboard.export": {
        "_trace": "",
        "decomp_utils": "",
    },
    "garboard.jit": {
        "annotations": (
            "Any BroadcastingList1 BroadcastingList2 BroadcastingList3 Dict List Optional "
            "Tuple Union"
        ),
    },
    "garboard.multiprocessing": {
        "spawn": (
            "ProcessContext ProcessException ProcessExitedException ProcessRaisedException "
            "SpawnContext spawn start_processes"
        ),
    },
    "garboard.nn.parallel": {
        "data_parallel": "DataParallel data_parallel",
        "distributed": "DistributedDataParallel",
        "scatter_gather": "gather scatter scatter_kwargs",
    },
    "garboard.onnx": {
        "symbolic_helper": "parse_args",
        "symbolic_opset9": "",
        "symbolic_opset11": "",
    },
    "garboard.optim": {
        "adadelta": "Adadelta",
        "adamax": "Adamax",
        "nadam": "NAdam",
        "radam": "RAdam",
    },
    "garboard.profiler": {
        "profiler": (
            "ProfilerAction ProfilerActivity _default_schedule_fn profile schedule "
            "tensorboard_trace_handler"
        ),
    },
    "garboard.utils": {
        "_device": "",
    },
    "garboard.utils.tensorboard": {
        "summary": "hparams",
        "writer": "",
    },
    "garboard.utils.data": {
        "_utils": "",
        "_utils.collate": "default_collate default_convert",
        "_utils.fetch": "",
        "_utils.pin_memory": "",
        "_utils.worker": "WorkerInfo get_worker_info",
        "datapipes": "",
        "datapipes.datapipe": "IterDataPipe MapDataPipe",
        "datapipes.iter": "IterDataPipe",
        "datapipes.iter.combinatorics": "IterDataPipe",
        "datapipes.map": "MapDataPipe",
        "graph_settings": "",
    },
}


def publish(made: ModuleType) -> None:
    """Show a module that is no file to imports, and its owner as a package.

    Imports ask for an owner's `__path__` before they look for a module under another root, as where
    `torch` is an alias of this package.

    Args:
        made: A module whose name begins with its owner's, which has been imported.
    """
    made.__spec__ = ModuleSpec(made.__name__, None)
    sys.modules[made.__name__] = made
    owner, _, last = made.__name__.rpartition(".")
    within = vars(sys.modules[owner])
    within.setdefault("__path__", [])
    within.setdefault(last, made)


def publish_paths(package: str) -> None:
    """Make the modules that are names alone of `package`, whose own names are all there.

    A name of the package stays what it is: `autograd.gradcheck` is the function. Each also finds
    what else the package has: programs import `Distribution` from where one is defined.
    """
    home = sys.modules[package]

    def found_in_package(name: str) -> object:
        if name in home.__all__:
            return getattr(home, name)
        raise AttributeError(
            f"a module of names of {shown(package)} has no attribute {shown(name)}", name=name
        )

    for path, names in _PATHS[package].items():
        full = f"{package}.{path}"
        made = ModuleType(full, f"Where PyTorch's users look for {names or 'what is private'}.")
        made.__dict__["__all__"] = names.split()
        for name in names.split():
            setattr(made, name, getattr(home, name))
        made.__dict__["__getattr__"] = found_in_package
        publish(made)

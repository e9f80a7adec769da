"""Several processes: there is one a program, and what asks whether there are others is answered.

So programs that train alone as well as together train alone; what joins processes is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from garboard._engine import Tensor
from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.optim import Optimizer
from garboard.utils import _checkpoint_wrapper, _named_states, _placements, _sharding_options

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = [
    "ProcessGroup",
    "ReduceOp",
    "ZeroRedundancyOptimizer",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "isend",
    "monitored_barrier",
    "new_group",
    "recv",
    "reduce",
    "reduce_scatter",
    "scatter",
    "send",
]


def is_available() -> bool:
    """Return False: there is one process a program.

    >>> gb.distributed.is_available()
    False
    """
    return False


def is_initialized() -> bool:
    """Return False: there is one process a program.

    >>> gb.distributed.is_initialized()
    False
    """
    return False


def is_gloo_available() -> bool:
    """Return False: there is one process a program.

    >>> gb.distributed.is_gloo_available()
    False
    """
    return False


def is_mpi_available() -> bool:
    """Return False: there is one process a program.

    >>> gb.distributed.is_mpi_available()
    False
    """
    return False


def is_nccl_available() -> bool:
    """Return False: there is one process a program.

    >>> gb.distributed.is_nccl_available()
    False
    """
    return False


def is_torchelastic_launched() -> bool:
    """Return False: nothing starts several processes.

    >>> gb.distributed.is_torchelastic_launched()
    False
    """
    return False


def get_rank(group: object = None) -> int:
    """Return 0: the one process is the first.

    Args:
        group: Ignored.

    >>> gb.distributed.get_rank()
    0
    """
    return 0


def get_world_size(group: object = None) -> int:
    """Return 1: there is one process a program.

    Args:
        group: Ignored.

    >>> gb.distributed.get_world_size()
    1
    """
    return 1


class ProcessGroup:
    """Processes that would work together: the type that annotations name; none is ever made.

    >>> def average(group: gb.distributed.ProcessGroup | None = None) -> None: ...
    """


class DeviceMesh:
    """Devices that would share a tensor: the type that programs ask for; none is ever made."""


class DTensor(Tensor):
    """A tensor that several processes would share: the type that programs ask for.

    >>> isinstance(gb.ones(1), gb.distributed.tensor.DTensor)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        """Refuse: there is one process a program."""
        raise NotImplementedError("DTensor: there is one process a program; use a Tensor")


class FSDPModule:
    """A module whose parameters several processes would share: the type that programs ask for.

    >>> isinstance(gb.nn.Linear(1, 1), gb.distributed.fsdp.FSDPModule)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        """Refuse: there is one process a program."""
        raise NotImplementedError(f"{cls.__name__}: there is one process a program; use the module")


class FullyShardedDataParallel(FSDPModule):
    """The older kind of it.

    >>> isinstance(gb.nn.Linear(1, 1), gb.distributed.fsdp.FullyShardedDataParallel)
    False
    """


class MixedPrecisionPolicy(NamedTuple):
    """The dtypes that `fully_shard` would be told, which is refused.

    >>> gb.distributed.fsdp.MixedPrecisionPolicy(param_dtype=gb.bfloat16).reduce_dtype is None
    True
    """

    param_dtype: DType | None = None
    reduce_dtype: DType | None = None
    output_dtype: DType | None = None
    cast_forward_inputs: bool = True


class ZeroRedundancyOptimizer(Optimizer):
    """What PyTorch has to spread an optimizer's state over processes; programs ask for its kind.

    Args:
        given: What PyTorch's class takes.
        named: Likewise.

    Raises:
        NotImplementedError: One is asked for.

    >>> isinstance(gb.optim.SGD([gb.ones(1)], 0.1), gb.distributed.ZeroRedundancyOptimizer)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise NotImplementedError(
            f"{cls.__name__}: there is one process a program; use its optimizer_class by itself"
        )


class group:
    """The group of all processes: none, for there is one.

    >>> gb.distributed.group.WORLD is None
    True
    """

    WORLD: ProcessGroup | None = None


class ReduceOp:
    """How numbers of several processes would be joined.

    >>> gb.distributed.ReduceOp.SUM
    'SUM'
    """

    SUM = "SUM"
    AVG = "AVG"
    PRODUCT = "PRODUCT"
    MIN = "MIN"
    MAX = "MAX"
    BAND = "BAND"
    BOR = "BOR"
    BXOR = "BXOR"


_PROMPT = ">" * 3  # of an example whose name is not known yet


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(*given: object, **options: object) -> NoReturn:
        raise NotImplementedError(f"distributed.{name}: there is one process a program")

    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    refuse.__doc__ = f"""Raise NotImplementedError: there is one process a program.

    Args:
        given: What PyTorch's function takes.
        options: Likewise.

    Raises:
        NotImplementedError: Always; ask `is_initialized()` first.

    {_PROMPT} gb.distributed.{name}()
    Traceback (most recent call last):
    NotImplementedError: distributed.{name}: there is one process a program
    """
    return refuse


all_gather: Callable[..., NoReturn] = _refused("all_gather")
all_gather_into_tensor: Callable[..., NoReturn] = _refused("all_gather_into_tensor")
all_gather_object: Callable[..., NoReturn] = _refused("all_gather_object")
all_reduce: Callable[..., NoReturn] = _refused("all_reduce")
all_to_all: Callable[..., NoReturn] = _refused("all_to_all")
barrier: Callable[..., NoReturn] = _refused("barrier")
broadcast: Callable[..., NoReturn] = _refused("broadcast")
broadcast_object_list: Callable[..., NoReturn] = _refused("broadcast_object_list")
destroy_process_group: Callable[..., NoReturn] = _refused("destroy_process_group")
distribute_tensor: Callable[..., NoReturn] = _refused("tensor.distribute_tensor")
fully_shard: Callable[..., NoReturn] = _refused("fsdp.fully_shard")
gather: Callable[..., NoReturn] = _refused("gather")
gather_object: Callable[..., NoReturn] = _refused("gather_object")
get_backend: Callable[..., NoReturn] = _refused("get_backend")
implicit_replication: Callable[..., NoReturn] = _refused("tensor.experimental.implicit_replication")
init_process_group: Callable[..., NoReturn] = _refused("init_process_group")
irecv: Callable[..., NoReturn] = _refused("irecv")
isend: Callable[..., NoReturn] = _refused("isend")
monitored_barrier: Callable[..., NoReturn] = _refused("monitored_barrier")
new_group: Callable[..., NoReturn] = _refused("new_group")
parallelize_module: Callable[..., NoReturn] = _refused("tensor.parallel.parallelize_module")
recv: Callable[..., NoReturn] = _refused("recv")
reduce: Callable[..., NoReturn] = _refused("reduce")
reduce_scatter: Callable[..., NoReturn] = _refused("reduce_scatter")
scatter: Callable[..., NoReturn] = _refused("scatter")
send: Callable[..., NoReturn] = _refused("send")


# Found by a path below this package alone.
_of_checkpoints = (
    *_checkpoint_wrapper.__all__,
    "_CHECKPOINT_PREFIX",
    "_CHECKPOINT_WRAPPED_MODULE",
)
globals().update({name: getattr(_checkpoint_wrapper, name) for name in _of_checkpoints})
globals().update({name: getattr(_named_states, name) for name in _named_states.__all__})
globals().update({"_init_optim_state": _named_states._begin})
globals().update({name: getattr(_placements, name) for name in _placements.__all__})
globals().update({name: getattr(_sharding_options, name) for name in _sharding_options.__all__})

publish_paths(__name__)

if not TYPE_CHECKING:
    # What joins processes is told by the path under which a program asks for it.
    sys.modules[f"{__name__}.checkpoint"].__getattr__ = module_getattr(f"{__name__}.checkpoint")
    __getattr__ = module_getattr(__name__)

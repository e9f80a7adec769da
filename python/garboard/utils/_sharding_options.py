"""What programs tell PyTorch's sharding of parameters: they make these before they ask for it.

It is refused here, for there is one process a program; what it would be told can be made, so that
programs that train alone as well are imported and run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "LocalOptimStateDictConfig",
    "LocalStateDictConfig",
    "MixedPrecision",
    "OptimStateDictConfig",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictSettings",
    "StateDictType",
]


class ShardingStrategy(Enum):
    """What processes would share.

    >>> from garboard.utils._sharding_options import ShardingStrategy
    >>> ShardingStrategy["NO_SHARD"].value
    3
    """

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """When the parameters of the next layer would be fetched in a backward pass.

    >>> from garboard.utils._sharding_options import BackwardPrefetch
    >>> BackwardPrefetch.BACKWARD_PRE.name
    'BACKWARD_PRE'
    """

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


class StateDictType(Enum):
    """Which parts of a state each process would give.

    >>> from garboard.utils._sharding_options import StateDictType
    >>> StateDictType.FULL_STATE_DICT.name
    'FULL_STATE_DICT'
    """

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


@dataclass(frozen=True)
class MixedPrecision:
    """The dtypes that parameters, gradients and buffers would have.

    >>> from garboard.utils._sharding_options import MixedPrecision
    >>> MixedPrecision(param_dtype=gb.bfloat16).buffer_dtype is None
    True
    """

    param_dtype: DType | None = None
    reduce_dtype: DType | None = None
    buffer_dtype: DType | None = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True


@dataclass
class CPUOffload:
    """Whether parameters would wait on the CPU.

    >>> from garboard.utils._sharding_options import CPUOffload
    >>> CPUOffload().offload_params
    False
    """

    offload_params: bool = False


@dataclass
class StateDictConfig:
    """How a module's state would be given.

    >>> from garboard.utils._sharding_options import StateDictConfig
    >>> StateDictConfig(offload_to_cpu=True).offload_to_cpu
    True
    """

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """The same of a whole state.

    >>> from garboard.utils._sharding_options import FullStateDictConfig
    >>> FullStateDictConfig().rank0_only
    False
    """

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """The same of the part of one process."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """The same of a state in parts."""


@dataclass
class OptimStateDictConfig:
    """How an optimizer's state would be given.

    >>> from garboard.utils._sharding_options import OptimStateDictConfig
    >>> OptimStateDictConfig().offload_to_cpu
    True
    """

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """The same of a whole state."""

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """The same of the part of one process."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """The same of a state in parts."""


@dataclass
class StateDictSettings:
    """Which state would be given, and how.

    >>> from garboard.utils import _sharding_options as told
    >>> parts = told.StateDictConfig(), told.OptimStateDictConfig()
    >>> told.StateDictSettings(told.StateDictType.FULL_STATE_DICT, *parts).state_dict_config
    StateDictConfig(offload_to_cpu=False)
    """

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig

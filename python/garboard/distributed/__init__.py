"""Several processes: there is one a program, which may be a group by itself.

So programs that train alone as well as together train alone, and what they send each other stays
where it is. What takes several processes is refused.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.distributed import _absent, _differentiable, _folders
from garboard.distributed._absent import irecv, isend, recv, send
from garboard.distributed._collectives import (
    all_gather,
    all_gather_into_tensor,
    all_reduce,
    barrier,
    broadcast,
    monitored_barrier,
    reduce,
)
from garboard.distributed._exchanges import (
    all_to_all,
    all_to_all_single,
    gather,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
)
from garboard.distributed._group import (
    Backend,
    GroupMember,
    ProcessGroup,
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    new_group,
)
from garboard.distributed._objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    scatter_object_list,
)
from garboard.distributed._optimizers import ZeroRedundancyOptimizer
from garboard.distributed._stores import (
    FileStore,
    HashStore,
    PrefixStore,
    Store,
    TCPStore,
)
from garboard.distributed._work import ReduceOp, Work
from garboard.utils import _checkpoint_wrapper, _named_states, _placements, _sharding_options

__all__ = [
    "Backend",
    "FileStore",
    "GroupMember",
    "HashStore",
    "PrefixStore",
    "ProcessGroup",
    "ReduceOp",
    "Store",
    "TCPStore",
    "Work",
    "ZeroRedundancyOptimizer",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_available",
    "is_backend_available",
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
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
]

# Found by a path below this package alone.
_of_checkpoints = (
    *_checkpoint_wrapper.__all__,
    "_CHECKPOINT_PREFIX",
    "_CHECKPOINT_WRAPPED_MODULE",
)
globals().update({name: getattr(_checkpoint_wrapper, name) for name in _of_checkpoints})
globals().update({name: getattr(_folders, name) for name in _folders.__all__})
globals().update({name: getattr(_absent, name) for name in _absent.__all__})
globals().update({name: getattr(_named_states, name) for name in _named_states.__all__})
globals().update({"_init_optim_state": _named_states._begin})
globals().update({name: getattr(_placements, name) for name in _placements.__all__})
globals().update({name: getattr(_sharding_options, name) for name in _sharding_options.__all__})

publish_paths(__name__)

for _path in ("nn", "nn.functional"):
    for _name in _differentiable.__all__:
        setattr(sys.modules[f"{__name__}.{_path}"], _name, getattr(_differentiable, _name))

if TYPE_CHECKING:
    checkpoint = _folders
else:
    # What joins processes is told by the path under which a program asks for it.
    sys.modules[f"{__name__}.checkpoint"].__getattr__ = module_getattr(f"{__name__}.checkpoint")
    __getattr__ = module_getattr(__name__)

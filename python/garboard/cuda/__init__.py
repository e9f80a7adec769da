"""CUDA devices: whether there are any, why not, their streams and their memory.

The CUDA library is opened by the first question. Importing this module asks none, and no question
before the first tensor costs more than looking for a driver.
"""

from typing import TYPE_CHECKING

from garboard._engine import OutOfMemoryError
from garboard._names.missing import module_getattr
from garboard.cuda._devices import (
    current_device,
    device,
    device_count,
    device_of,
    get_device_capability,
    get_device_name,
    get_device_properties,
    init,
    is_available,
    is_bf16_supported,
    is_initialized,
    set_device,
    synchronize,
    why_not_fused,
    why_unavailable,
)
from garboard.cuda.memory import (
    dump_snapshot,
    empty_cache,
    get_per_process_memory_fraction,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    record_history,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
    snapshot,
)
from garboard.cuda.random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from garboard.cuda.streams import (
    Event,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    set_stream,
    stream,
)

__all__ = [
    "Event",
    "OutOfMemoryError",
    "Stream",
    "StreamContext",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "dump_snapshot",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_per_process_memory_fraction",
    "get_rng_state",
    "get_rng_state_all",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "record_history",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_per_process_memory_fraction",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "snapshot",
    "stream",
    "synchronize",
    "why_not_fused",
    "why_unavailable",
]

_TYPED = (
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
)

_OLDER = (
    "ipc_collect",
    "max_memory_cached",
    "memory_cached",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
)
_ASKED = (
    "can_device_access_peer",
    "clock_rate",
    "device_memory_used",
    "get_arch_list",
    "get_gencode_flags",
    "get_sync_debug_mode",
    "has_half",
    "has_magma",
    "is_tf32_supported",
    "list_gpu_processes",
    "memory_usage",
    "power_draw",
    "set_sync_debug_mode",
    "temperature",
    "utilization",
)
_GRAPHS = (
    "CUDAGraph",
    "graph",
    "graph_pool_handle",
    "is_current_stream_capturing",
    "make_graphed_callables",
)

if TYPE_CHECKING:
    from garboard.cuda import amp as amp
    from garboard.cuda import graphs as graphs
    from garboard.cuda import nvtx as nvtx
    from garboard.cuda._asked import can_device_access_peer as can_device_access_peer
    from garboard.cuda._asked import clock_rate as clock_rate
    from garboard.cuda._asked import device_memory_used as device_memory_used
    from garboard.cuda._asked import get_arch_list as get_arch_list
    from garboard.cuda._asked import get_gencode_flags as get_gencode_flags
    from garboard.cuda._asked import get_sync_debug_mode as get_sync_debug_mode
    from garboard.cuda._asked import has_half as has_half
    from garboard.cuda._asked import has_magma as has_magma
    from garboard.cuda._asked import is_tf32_supported as is_tf32_supported
    from garboard.cuda._asked import list_gpu_processes as list_gpu_processes
    from garboard.cuda._asked import memory_usage as memory_usage
    from garboard.cuda._asked import power_draw as power_draw
    from garboard.cuda._asked import set_sync_debug_mode as set_sync_debug_mode
    from garboard.cuda._asked import temperature as temperature
    from garboard.cuda._asked import utilization as utilization
    from garboard.cuda._older_names import ipc_collect as ipc_collect
    from garboard.cuda._older_names import max_memory_cached as max_memory_cached
    from garboard.cuda._older_names import memory_cached as memory_cached
    from garboard.cuda._older_names import reset_max_memory_allocated as reset_max_memory_allocated
    from garboard.cuda._older_names import reset_max_memory_cached as reset_max_memory_cached
    from garboard.cuda._typed_tensors import BFloat16Tensor as BFloat16Tensor
    from garboard.cuda._typed_tensors import BoolTensor as BoolTensor
    from garboard.cuda._typed_tensors import ByteTensor as ByteTensor
    from garboard.cuda._typed_tensors import CharTensor as CharTensor
    from garboard.cuda._typed_tensors import DoubleTensor as DoubleTensor
    from garboard.cuda._typed_tensors import FloatTensor as FloatTensor
    from garboard.cuda._typed_tensors import HalfTensor as HalfTensor
    from garboard.cuda._typed_tensors import IntTensor as IntTensor
    from garboard.cuda._typed_tensors import LongTensor as LongTensor
    from garboard.cuda._typed_tensors import ShortTensor as ShortTensor
    from garboard.cuda.graphs import CUDAGraph as CUDAGraph
    from garboard.cuda.graphs import graph as graph
    from garboard.cuda.graphs import graph_pool_handle as graph_pool_handle
    from garboard.cuda.graphs import is_current_stream_capturing as is_current_stream_capturing
    from garboard.cuda.graphs import make_graphed_callables as make_graphed_callables
else:
    _missing = module_getattr(
        __name__,
        ("amp", "graphs", "nvtx"),
        {
            **dict.fromkeys(_TYPED, "_typed_tensors"),
            **dict.fromkeys(_ASKED, "_asked"),
            **dict.fromkeys(_GRAPHS, "graphs"),
            **dict.fromkeys(_OLDER, "_older_names"),
        },
    )

    def __getattr__(name):
        # Asked by programs that put generators back; PyTorch has the answer as an attribute.
        if name == "_initialized":
            return is_initialized()
        if name == "default_generators":  # one draws for all devices
            from garboard._contexts.generator import default_generator

            return (default_generator,) * device_count()
        return _missing(name)

# ruff: noqa: N999
"""What programs take from PyTorch's native module: its error, its generator, and switches.

The switches are of compilers that are not here: they take what they are given and change nothing.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from garboard._arguments.layouts import layout
from garboard._contexts.generator import Generator
from garboard._engine import LinAlgError as _LinAlgError
from garboard._engine import Tensor, device, dtype
from garboard._engine import _Size as Size

# The types are here because editors complete imports so.
__all__ = [
    "DisableTorchFunctionSubclass",
    "Generator",
    "Size",
    "_LinAlgError",
    "_TensorMeta",
    "device",
    "dtype",
    "layout",
]

_TensorMeta = type(Tensor)  # of which programs derive the types of what stands in for tensors

_SWITCHES = (
    "_are_functorch_transforms_active _get_tracing_state "
    "_jit_override_can_fuse_on_cpu _jit_override_can_fuse_on_gpu _jit_set_nvfuser_enabled "
    "_jit_set_profiling_executor _jit_set_profiling_mode _jit_set_texpr_fuser_enabled "
    "_log_api_usage_once"
)


# A block in which no class takes calls over: only calls that are refused are, here or anywhere.
DisableTorchFunctionSubclass: type[nullcontext[None]] = nullcontext


def _disabled_torch_function_impl(*given: Any) -> Any:
    """The `__torch_function__` of a class that takes nothing over."""
    return NotImplemented


def _unheard(*given: Any) -> None:
    """Change nothing, and tell of nothing that is on."""


globals().update(dict.fromkeys(_SWITCHES.split(), _unheard))

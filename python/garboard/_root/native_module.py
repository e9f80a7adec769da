"""`_C`, what programs take from PyTorch's native module: its error, its generator, and switches.

Beside it `__config__`, which tells how the library was built.

The switches are of compilers that are not here: they take what they are given and change nothing.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from garboard._contexts.generator import Generator
from garboard._engine import LinAlgError
from garboard._info import facts

__all__ = ["_C", "__config__"]

_SWITCHES = (
    "_are_functorch_transforms_active _get_tracing_state "
    "_jit_override_can_fuse_on_cpu _jit_override_can_fuse_on_gpu _jit_set_nvfuser_enabled "
    "_jit_set_profiling_executor _jit_set_profiling_mode _jit_set_texpr_fuser_enabled "
    "_log_api_usage_once"
)


def _unheard(*given: Any) -> None:
    """Change nothing, and tell of nothing that is on."""


_C = ModuleType("garboard._C", __doc__)
vars(_C).update(dict.fromkeys(_SWITCHES.split(), _unheard))
vars(_C).update(Generator=Generator, _LinAlgError=LinAlgError)
sys.modules["garboard._C"] = _C


def _show() -> str:
    """Say what `garboard info` says of the build and the machine."""
    return "".join(f"{name}: {fact}\n" for name, fact in facts().items())


__config__ = ModuleType("garboard.__config__", "How the library was built.")
vars(__config__).update(show=_show, parallel_info=_show)
sys.modules["garboard.__config__"] = __config__

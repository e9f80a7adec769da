# ruff: noqa: N999
"""What programs take from PyTorch's native module: its error, its generator, and switches.

The switches are of compilers that are not here: they take what they are given and change nothing.
"""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

from garboard._arguments.check import unless_left
from garboard._arguments.layouts import layout
from garboard._contexts.dispatch import (
    DispatchKey,
    DispatchKeySet,
    _ExcludeDispatchKeyGuard,
)
from garboard._contexts.generator import Generator
from garboard._engine import LinAlgError as _LinAlgError
from garboard._engine import (
    Tensor,
    _disabled_torch_function_impl,
    _EndingBlock,
    _pop_override,
    _push_override,
    _set_overriding,
    device,
    dtype,
)
from garboard._engine import _Size as Size
from garboard._engine import device as _device
from garboard._engine import dtype as _dtype
from garboard._names.paths import publish
from garboard.func import _hidden_batches as hidden_batches

# The types are here because editors complete imports so.
__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "DispatchKey",
    "DispatchKeySet",
    "Generator",
    "Graph",
    "ScriptMethod",
    "ScriptObject",
    "Size",
    "Value",
    "_ExcludeDispatchKeyGuard",
    "_LinAlgError",
    "_TensorMeta",
    "_disabled_torch_function_impl",
    "device",
    "dtype",
    "layout",
]

_TensorMeta = type(Tensor)  # of which programs derive the types of what stands in for tensors

_SWITCHES = (
    "_are_functorch_transforms_active _get_tracing_state _is_tracing "
    "_jit_override_can_fuse_on_cpu _jit_override_can_fuse_on_gpu _jit_set_autocast_mode "
    "_jit_set_nvfuser_enabled _jit_set_profiling_executor _jit_set_profiling_mode "
    "_jit_set_texpr_fuser_enabled _log_api_usage_once"
)


class Graph:
    """What PyTorch's compiler of scripts makes of a function: no object is one.

    Programs name it in annotations of what would write an op to a file.

    Raises:
        TypeError: One is asked for.

    >>> from garboard._C import Graph
    >>> isinstance(gb.fx.Graph(), Graph)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise TypeError(f"{cls.__name__}: no script is compiled here; graphs are gb.fx.Graph")


class Value(Graph):
    """What a node of such a graph takes and gives: no object is one."""


class ScriptObject(Graph):
    """What compiled classes are made into: no object is one."""


class ScriptMethod(Graph):
    """What the compiler of scripts makes of a method: no object is one, and none is a `func`."""


class DisableTorchFunctionSubclass(_EndingBlock):
    """A block in which no class made of Tensor, and no other block, takes calls over.

    >>> from garboard._C import DisableTorchFunctionSubclass
    >>> class Image(gb.Tensor):
    ...     pass
    >>> with DisableTorchFunctionSubclass():
    ...     print(type(Image([1.0]) + 1).__name__)
    Tensor
    """

    def _enter(self, entry: list[bool]) -> None:
        entry.append(_set_overriding(None))
        _set_overriding(False)

    def _leave(self, entry: list[bool] | None, *error: object) -> None:
        for before in unless_left("DisableTorchFunctionSubclass", entry):
            _set_overriding(before)


DisableTorchFunction = DisableTorchFunctionSubclass


class _NativeLayers(ModuleType):
    """`_C._nn`: functions of `nn.functional`, and what a module's `to` is given, taken apart."""

    @staticmethod
    def _parse_to(
        to: Any = None,
        second: Any = None,
        third: Any = False,
        *,
        device: Any = None,
        dtype: Any = None,
        non_blocking: bool = False,
        memory_format: Any = None,
    ) -> tuple[Any, Any, bool, Any]:
        """Return device, dtype, whether not to wait, and layout; None for what is not given."""
        where, kind, waits_not = device, dtype, non_blocking
        if isinstance(to, Tensor):
            where, kind = to.device, to.dtype
        elif isinstance(to, _dtype):
            kind = to
        elif to is not None:
            where = to
        for it in (second, third):
            if isinstance(it, bool):
                waits_not = waits_not or it
            elif it is not None:
                kind = it
        return None if where is None else _device(where), kind, waits_not, memory_format

    def __getattr__(self, name: str) -> Any:
        from garboard.nn import functional

        return getattr(functional, name)


_nn = _NativeLayers("garboard._C._nn")
publish(_nn)

_profiler = ModuleType("garboard._C._profiler", "What PyTorch's profiler is told besides.")
vars(_profiler).update(_ExperimentalConfig=SimpleNamespace)
publish(_profiler)

_distributed_rpc = ModuleType("garboard._C._distributed_rpc", "What is of other processes: none.")
vars(_distributed_rpc).update(PyRRef=type("PyRRef", (Graph,), {"__doc__": "No object is one."}))
publish(_distributed_rpc)

_functorch = ModuleType("garboard._C._functorch", hidden_batches.__doc__)
vars(_functorch).update(
    _add_batch_dim=hidden_batches.add_batch_dim,
    _remove_batch_dim=hidden_batches.remove_batch_dim,
    get_unwrapped=hidden_batches.get_unwrapped,
    is_batchedtensor=hidden_batches.is_batchedtensor,
    is_gradtrackingtensor=hidden_batches.is_gradtrackingtensor,
    maybe_get_level=hidden_batches.maybe_get_level,
)
publish(_functorch)


def _is_torch_function_mode_enabled() -> bool:
    """Tell whether a block takes over the calls of this thread."""
    innermost = _pop_override()
    if innermost is not None:
        _push_override(innermost)
    return innermost is not None


def _unheard(*given: Any) -> None:
    """Change nothing, and tell of nothing that is on."""


globals().update(dict.fromkeys(_SWITCHES.split(), _unheard))

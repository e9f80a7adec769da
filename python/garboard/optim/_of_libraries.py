"""What libraries of optimizers import from PyTorch's `optim.optimizer` for their own steps.

There is one way to step here, so what chooses between PyTorch's several ways chooses the plain one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import sqrt
from typing import Any, TypeVar

from garboard import _engine
from garboard._contexts.grad_mode import set_grad_enabled
from garboard._engine import Tensor

__all__ = ["NAMES"]

_F = TypeVar("_F", bound=Callable[..., Any])


def _use_grad_for_differentiable(func: _F) -> _F:
    """A `step` under `no_grad`, or, where the option `differentiable` is set, one that records."""

    @wraps(func)
    def step(self: Any, *given: Any, **named: Any) -> Any:
        with set_grad_enabled(bool(self.defaults.get("differentiable", False))):
            return func(self, *given, **named)

    return step  # type: ignore[return-value]


def _default_to_fused_or_foreach(
    params: list[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Say that neither is better than a plain loop."""
    return False, False


def _get_value(x: Any) -> Any:
    return x.item() if isinstance(x, Tensor) else x


def _to_scalar(x: Any) -> Any:
    return x.squeeze() if isinstance(x, Tensor) and x.ndim else x


def _stack_if_compiling(x: Any) -> Any:
    return x


def _dispatch_sqrt(x: Any) -> Any:
    return x.sqrt() if isinstance(x, Tensor) else sqrt(x)


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Put the parts in place of complex tensors, and of what belongs to them."""
    for place, parameter in enumerate(params):
        if parameter.is_complex():
            for tensors in (params, *state_and_grads):
                tensors[place] = _engine.view_as_real(tensors[place])


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    return ["cuda"]


def _get_foreach_kernels_supported_devices() -> list[str]:
    return ["cuda"]


def _get_fused_kernels_supported_devices() -> list[str]:
    return ["cuda", "cpu"]


def _get_scalar_dtype(is_fused: bool | None = None) -> _engine.dtype:
    is_wide = not is_fused and _engine.get_default_dtype() == _engine.float64
    return _engine.float64 if is_wide else _engine.float32


def _device_dtype_check_for_fused(p: Tensor, cuda_unsupported: bool = False) -> None:
    """Take every parameter: nothing depends on it."""


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[_F], _F]:
    return lambda function: function


NAMES: dict[str, Any] = {
    function.__name__: function
    for function in (
        _default_to_fused_or_foreach,
        _device_dtype_check_for_fused,
        _disable_dynamo_if_unsupported,
        _dispatch_sqrt,
        _get_capturable_supported_devices,
        _get_foreach_kernels_supported_devices,
        _get_fused_kernels_supported_devices,
        _get_scalar_dtype,
        _get_value,
        _stack_if_compiling,
        _to_scalar,
        _use_grad_for_differentiable,
        _view_as_real,
    )
}
NAMES.update(
    _params_doc="params: Tensors; pairs of names and tensors; or dicts of groups.",
    _foreach_doc="foreach: Taken and not used.",
    _fused_doc="fused: Taken and not used.",
    _capturable_doc="capturable: Taken and not used.",
    _differentiable_doc="differentiable: Record the step, for gradients through it.",
    _maximize_doc="maximize: Climb instead of descending.",
)

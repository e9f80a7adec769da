"""Gradients of functions, and the passes that compute them."""

from typing import TYPE_CHECKING

from garboard._grad_mode import enable_grad, no_grad, set_grad_enabled
from garboard._missing import module_getattr
from garboard.autograd._passes import backward, grad
from garboard.autograd.function import Function

__all__ = ["Function", "backward", "enable_grad", "grad", "no_grad", "set_grad_enabled"]

_SUBMODULES = ("function",)
if TYPE_CHECKING:
    from garboard.autograd import function as function
else:
    __getattr__ = module_getattr(__name__, _SUBMODULES)

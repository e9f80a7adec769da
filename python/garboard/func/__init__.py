"""Derivatives of functions, functions of batches, and modules as functions of their parameters."""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard.func._batches import stack_module_state, vmap
from garboard.func._derivatives import grad, grad_and_value, jvp, linearize, vjp
from garboard.func._jacobians import hessian, jacfwd, jacrev
from garboard.func._mutations import functionalize
from garboard.func._norms import replace_all_batch_norm_modules_
from garboard.nn.utils.stateless import functional_call

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

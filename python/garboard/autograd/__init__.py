"""Gradients of functions, and the passes that compute them."""

from typing import TYPE_CHECKING

from garboard._contexts.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.autograd._gradcheck import gradcheck, gradgradcheck
from garboard.autograd._passes import backward, grad
from garboard.autograd._threads import set_multithreading_enabled
from garboard.autograd._variable import Variable
from garboard.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from garboard.autograd.function import Function

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

_SUBMODULES = ("anomaly_mode", "forward_ad", "function", "functional", "graph", "profiler")
if TYPE_CHECKING:
    from garboard.autograd import anomaly_mode as anomaly_mode
    from garboard.autograd import forward_ad as forward_ad
    from garboard.autograd import function as function
    from garboard.autograd import functional as functional
    from garboard.autograd import graph as graph
    from garboard.autograd import profiler as profiler
else:
    __getattr__ = module_getattr(
        __name__,
        _SUBMODULES,
        {
            "GradcheckError": "_gradcheck_parts",
            "_disable_profiler": "profiler",
            "_profiler_enabled": "profiler",
            "is_multithreading_enabled": "_threads",
        },
    )

publish_paths(__name__)

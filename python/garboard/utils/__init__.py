"""Where PyTorch's users look for data loading, checkpoints of activations, and DLPack."""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.utils._naming import set_module
from garboard.utils._swapping import swap_tensors

__all__ = [
    "benchmark",
    "checkpoint",
    "collect_env",
    "cpp_extension",
    "data",
    "deterministic",
    "dlpack",
    "flop_counter",
    "hooks",
    "model_zoo",
    "module_tracker",
    "set_module",
    "swap_tensors",
    "tensorboard",
]

if TYPE_CHECKING:
    from garboard.utils import _pytree as _pytree
    from garboard.utils import (
        benchmark,
        checkpoint,
        collect_env,
        cpp_extension,
        data,
        deterministic,
        dlpack,
        flop_counter,
        hooks,
        model_zoo,
        module_tracker,
        tensorboard,
    )
else:
    __getattr__ = module_getattr(__name__, ("_pytree", *__all__))

publish_paths(__name__)

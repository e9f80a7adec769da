"""Libraries that know tensors by a backend each: they are told of this one when they are imported.

Of einops the backend for PyTorch does all that is needed, on whatever module has PyTorch's names.
opt_einsum looks for functions in the module of a tensor's class, and asks some otherwise than
PyTorch's are called.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

__all__ = ["ToldLibraries"]


def _tell_einops(backends: Any) -> None:
    """Make the backend, which einops finds among the classes made of its own."""
    if not hasattr(backends, "TorchBackend"):  # another version: it is left as it is
        return

    class GarboardBackend(backends.TorchBackend):  # type: ignore[misc]
        framework_name = "garboard"

        def __init__(self) -> None:
            self.torch = sys.modules["garboard"]

    backends.GarboardBackend = GarboardBackend  # which keeps the class


def _tell_opt_einsum(dispatch: Any) -> None:
    """Put the functions among those that it has found before; `einsum` it finds by itself."""
    found = getattr(dispatch, "_cached_funcs", None)
    if not isinstance(found, dict):
        return
    this: Any = sys.modules["garboard"]
    found["transpose", "garboard"] = lambda x, axes: x.permute(*axes)
    found["tensordot", "garboard"] = lambda x, y, axes=2: this.tensordot(x, y, dims=axes)


_TOLD: dict[str, Callable[[Any], None]] = {
    "einops._backends": _tell_einops,
    "opt_einsum.backends.dispatch": _tell_opt_einsum,
}


class ToldLibraries:
    """A finder that finds these libraries' modules where they are, and adds to them."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find those modules alone."""
        if name not in _TOLD:
            return None
        spec = PathFinder.find_spec(name, path, target)
        loader: Any = spec and spec.loader
        if loader is not None:
            run = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                _TOLD[name](module)

            loader.exec_module = exec_module
        return spec


for _name, _tell in _TOLD.items():
    if _name in sys.modules:
        _tell(sys.modules[_name])

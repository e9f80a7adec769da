"""einops knows tensors by backends, one a library: it is told of this one when it is imported.

Its backend for PyTorch does all that is needed, on whatever module has PyTorch's names.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

__all__ = ["EinopsBackends", "tell_einops"]

_BACKENDS = "einops._backends"


def tell_einops(backends: Any) -> None:
    """Make the backend, which einops finds among the classes made of its own."""
    if not hasattr(backends, "TorchBackend"):  # another version: it is left as it is
        return

    class GarboardBackend(backends.TorchBackend):  # type: ignore[misc]
        framework_name = "garboard"

        def __init__(self) -> None:
            self.torch = sys.modules["garboard"]

    backends.GarboardBackend = GarboardBackend  # which keeps the class


class EinopsBackends:
    """A finder that finds einops's module of backends where it is, and adds to it."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find that module alone."""
        if name != _BACKENDS:
            return None
        spec = PathFinder.find_spec(name, path, target)
        loader: Any = spec and spec.loader
        if loader is not None:
            run = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                tell_einops(module)

            loader.exec_module = exec_module
        return spec


if _BACKENDS in sys.modules:
    tell_einops(sys.modules[_BACKENDS])

"""Where older programs of PyTorch's look for its hub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garboard.hub import _tqdm
from garboard.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "tqdm":
            return _tqdm()
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'", name=name)

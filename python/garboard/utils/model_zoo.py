"""Where older programs of PyTorch's look for its hub."""

from __future__ import annotations

from garboard.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]

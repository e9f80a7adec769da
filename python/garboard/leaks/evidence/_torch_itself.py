"""PyTorch, as the program has imported it: we never do."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["torch"]

if "torch" not in sys.modules:
    raise ImportError("the program has not imported PyTorch")

torch: Any = sys.modules["torch"]

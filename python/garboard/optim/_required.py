"""The default of an option that each group has to name."""

from __future__ import annotations

from typing import Any

__all__ = ["required"]


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required: Any = _Required()

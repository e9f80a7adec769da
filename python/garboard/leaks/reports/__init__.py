"""Findings as text and as files."""

from __future__ import annotations

__all__: list[str] = []

"""What a finding is, and what a kind of findings is."""

from __future__ import annotations

__all__: list[str] = []

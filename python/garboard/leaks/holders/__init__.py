"""Who holds what: roots, ways from them, and the words and lines for those."""

from __future__ import annotations

__all__: list[str] = []

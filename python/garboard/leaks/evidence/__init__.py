"""What lives, as plain rows: survivors, graphs, views, steps. Knows no holder."""

from __future__ import annotations

__all__: list[str] = []

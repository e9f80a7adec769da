"""What garboard does for notebooks. IPython is not imported: where it runs, it is at hand."""

from __future__ import annotations

__all__: list[str] = []

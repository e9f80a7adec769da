"""Layers that learn their sizes from the first input."""

__all__: list[str] = []

"""Normalizations, of layers and of channels."""

__all__: list[str] = []

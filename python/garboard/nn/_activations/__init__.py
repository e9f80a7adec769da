"""Activations."""

__all__: list[str] = []

"""Recurrent layers, attention, transformers."""

__all__: list[str] = []

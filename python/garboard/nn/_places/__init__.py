"""Layers that move elements: padding, sampling, folds, slices."""

__all__: list[str] = []

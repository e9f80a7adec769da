"""Pools, adaptive and fractional ones, and what takes them back."""

__all__: list[str] = []

"""Losses, and layers that end in one."""

__all__: list[str] = []

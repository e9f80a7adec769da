"""Ops that are said in Python, and what Python adds to those of the engine."""

__all__: list[str] = []

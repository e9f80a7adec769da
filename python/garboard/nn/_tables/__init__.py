"""Rows looked up in a table, one by one or in bags."""

__all__: list[str] = []

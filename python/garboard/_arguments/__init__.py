"""What callers give: how it is checked, read, and told in messages."""

__all__: list[str] = []

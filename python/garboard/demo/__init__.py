"""`garboard demo`: train on handwritten digits, plant a leak, read its name."""

__all__: list[str] = []

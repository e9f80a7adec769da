"""PyTorch's switch for what `empty` holds: kept, without effect."""

__all__: list[str] = []

fill_uninitialized_memory = True
"""Whether PyTorch fills what was not written, while deterministic algorithms are asked for."""

"""PyTorch's names: those that are missing answer with what to use instead."""

__all__: list[str] = []

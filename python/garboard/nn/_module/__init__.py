"""What a module is made of: its tree, its state, its hooks, where its tensors belong."""

__all__: list[str] = []

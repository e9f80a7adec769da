"""What makes `_engine.pyi`, from the op tables and from what is said by hand."""

__all__: list[str] = []

"""The switch of PyTorch's libraries of quantized ops: none is used."""

__all__ = ["engine", "supported_engines"]

engine: str = "none"
supported_engines: list[str] = ["none"]

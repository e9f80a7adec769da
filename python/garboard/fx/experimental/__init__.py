"""What programs ask of the parts of PyTorch's tracer that it calls experiments."""

from garboard.fx.experimental import proxy_tensor

__all__ = ["proxy_tensor"]

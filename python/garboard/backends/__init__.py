"""PyTorch's switches of its libraries: taken and kept, without effect, so that programs run."""

from garboard.backends import cuda, cudnn, mkldnn, mps

__all__ = ["cuda", "cudnn", "mkldnn", "mps"]

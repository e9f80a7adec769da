"""Where PyTorch has kinds of tensors that its compiler makes; none is made here."""

from garboard._subclasses import fake_tensor
from garboard._subclasses.fake_tensor import FakeTensor

__all__ = ["FakeTensor", "fake_tensor"]

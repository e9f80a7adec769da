"""Attention: layers, which kernel computes it, and scores and masks of a program's own."""

from garboard.nn._sequences._attention_kernels import SDPBackend, sdpa_kernel
from garboard.nn.attention.multihead import MultiheadAttention

__all__ = ["MultiheadAttention", "SDPBackend", "sdpa_kernel"]

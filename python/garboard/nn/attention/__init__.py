"""Attention: layers, which kernel computes it, and scores and masks of a program's own."""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard.nn._sequences._attention_kernels import SDPBackend, sdpa_kernel
from garboard.nn.attention.multihead import MultiheadAttention

__all__ = ["MultiheadAttention", "SDPBackend", "sdpa_kernel"]

if TYPE_CHECKING:
    from garboard.nn.attention import bias as bias
    from garboard.nn.attention import flex_attention as flex_attention
else:
    __getattr__ = module_getattr(__name__, ("bias", "flex_attention"))

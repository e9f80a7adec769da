"""Masks of attention that lets each query see what stands before it, where keys differ in count."""

from __future__ import annotations

from enum import IntEnum, auto

from garboard import _engine
from garboard._arguments import check
from garboard._engine import Tensor, _disabled_torch_function_impl

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """Which corner the triangle begins at: the first query and key, or the last ones."""

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(Tensor):
    """A bool mask [queries, keys] of a triangle, for `attn_mask` of scaled_dot_product_attention.

    Args:
        variant: Where the triangle begins.
        seq_len_q: How many queries.
        seq_len_kv: How many keys; no fewer, where it begins at the last ones.

    Raises:
        ShapeError: A length is negative.
        TypeError: An argument is of another type.

    >>> gb.nn.attention.bias.causal_lower_right(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int
    __torch_function__ = _disabled_torch_function_impl  # what is computed from one is a Tensor

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        kind = check.of_type(CausalVariant, "CausalBias", "variant", variant)
        queries = check.size("CausalBias", "seq_len_q", seq_len_q)
        keys = check.size("CausalBias", "seq_len_kv", seq_len_kv)
        shift = keys - queries if kind is CausalVariant.LOWER_RIGHT else 0
        whole = _engine.ones(queries, keys, dtype=_engine.bool)
        made = Tensor.as_subclass(whole.tril(shift), cls)
        made.variant, made.seq_len_q, made.seq_len_kv = kind, queries, keys
        return made


def causal_upper_left(*size: int) -> CausalBias:
    """Return the mask of a triangle that begins at the first query and the first key.

    Args:
        size: How many queries, and how many keys.

    Returns:
        A CausalBias.

    Raises:
        ValueError: More or fewer than two numbers.
        ShapeError: One is negative.
        TypeError: One is no integer.

    >>> gb.nn.attention.bias.causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *_two("causal_upper_left", size))


def causal_lower_right(*size: int) -> CausalBias:
    """Return the mask of a triangle that ends at the last query and the last key.

    Queries are the last of the keys, as where the keys before them have been cached.

    Args:
        size: How many queries, and how many keys.

    Returns:
        A CausalBias.

    Raises:
        ValueError: More or fewer than two numbers.
        ShapeError: One is negative.
        TypeError: One is no integer.

    >>> gb.nn.attention.bias.causal_lower_right(1, 2)
    tensor([[True, True]])
    """
    return CausalBias(CausalVariant.LOWER_RIGHT, *_two("causal_lower_right", size))


def _two(op: str, size: tuple[int, ...]) -> tuple[int, int]:
    if len(size) != 2:
        raise ValueError(f"{op}: {len(size)} numbers; two are needed, of queries and of keys")
    return size[0], size[1]

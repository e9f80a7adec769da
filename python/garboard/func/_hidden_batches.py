"""What PyTorch has of tensors in which a transform hides a batch: here it hides none."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from garboard._arguments import check
from garboard._engine import Tensor

__all__ = ["get_unwrapped", "is_batchedtensor", "maybe_get_level", "of_a_batch"]


def of_a_batch(name: str) -> Callable[..., NoReturn]:
    def refuse(*given: object, **named: object) -> NoReturn:
        raise NotImplementedError(
            f"{name}: tensors hide no dims here; gb.func.vmap calls a function for each sample"
        )

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def is_batchedtensor(tensor: Tensor) -> bool:
    """Return False: no tensor hides a batch.

    Args:
        tensor: A tensor.

    Raises:
        TypeError: It is none.

    >>> from garboard.func._hidden_batches import is_batchedtensor
    >>> is_batchedtensor(gb.ones(1))
    False
    """
    check.tensor("is_batchedtensor", "tensor", tensor)
    return False


def get_unwrapped(tensor: Tensor) -> Tensor:
    """Return a tensor as it is: it is not wrapped.

    Args:
        tensor: A tensor.

    Raises:
        TypeError: It is none.

    >>> from garboard.func._hidden_batches import get_unwrapped
    >>> get_unwrapped(gb.ones(1))
    tensor([1.])
    """
    return check.tensor("get_unwrapped", "tensor", tensor)


def maybe_get_level(tensor: Tensor) -> int:
    """Return -1, which is the level of a tensor that no transform wraps.

    Args:
        tensor: A tensor.

    >>> from garboard.func._hidden_batches import maybe_get_level
    >>> maybe_get_level(gb.ones(1))
    -1
    """
    check.tensor("maybe_get_level", "tensor", tensor)
    return -1

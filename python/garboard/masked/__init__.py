"""Functions of the elements that a mask lets count. The mask stands beside its tensor here.

What PyTorch has for tensors that carry one are kinds that programs may ask for, and none is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from garboard._names.missing import module_getattr
from garboard.masked._reductions import (
    amax,
    amin,
    argmax,
    argmin,
    logsumexp,
    mean,
    median,
    norm,
    prod,
    std,
    sum,
    var,
)
from garboard.masked._rows import (
    cumprod,
    cumsum,
    log_softmax,
    logaddexp,
    normalize,
    softmax,
    softmin,
)

__all__ = [
    "MaskedTensor",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "as_masked_tensor",
    "cumprod",
    "cumsum",
    "is_masked_tensor",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "masked_tensor",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

_INSTEAD = "no tensor carries a mask here; keep it beside, use gb.where(mask, x, fill)"


class MaskedTensor:
    """A kind of tensor that there is none of.

    Args:
        given: What PyTorch's class takes.
        named: Likewise.

    Raises:
        NotImplementedError: One is asked for.

    >>> isinstance(gb.ones(2), gb.masked.MaskedTensor)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise NotImplementedError(f"{cls.__name__}: {_INSTEAD}")


def is_masked_tensor(obj: object, /) -> bool:
    """Return False: no tensor carries a mask.

    Args:
        obj: Anything.

    >>> gb.masked.is_masked_tensor(gb.ones(2))
    False
    """
    return False


def masked_tensor(data: object, mask: object, requires_grad: bool = False) -> NoReturn:
    """Refuse to make a tensor with a mask.

    Args:
        data: What PyTorch's function takes.
        mask: Likewise.
        requires_grad: Likewise.

    Raises:
        NotImplementedError: Always; keep the mask beside the tensor.

    >>> gb.masked.masked_tensor(gb.ones(1), gb.tensor([True]))
    Traceback (most recent call last):
    NotImplementedError: masked_tensor: no tensor carries a mask here; keep it beside, ...
    """
    raise NotImplementedError(f"masked_tensor: {_INSTEAD}")


def as_masked_tensor(data: object, mask: object) -> NoReturn:
    """Refuse to make a tensor with a mask.

    Args:
        data: What PyTorch's function takes.
        mask: Likewise.

    Raises:
        NotImplementedError: Always; keep the mask beside the tensor.

    >>> gb.masked.as_masked_tensor(gb.ones(1), gb.tensor([True]))
    Traceback (most recent call last):
    NotImplementedError: as_masked_tensor: no tensor carries a mask here; keep it beside, ...
    """
    raise NotImplementedError(f"as_masked_tensor: {_INSTEAD}")


if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

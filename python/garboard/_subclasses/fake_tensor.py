"""What programs ask of tensors that PyTorch's compiler traces with: whether one is of them."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["FakeTensor", "is_fake"]


class FakeTensor:
    """A kind of tensor that there is none of: nothing is traced. `device="meta"` has no elements.

    Raises:
        TypeError: One is asked for.

    >>> isinstance(gb.ones(2), gb._subclasses.FakeTensor)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise TypeError('FakeTensor: nothing is traced here; use gb.empty(sizes, device="meta")')


def is_fake(x: object) -> bool:
    """Return False: no tensor is one that a compiler traces with.

    >>> from garboard._subclasses.fake_tensor import is_fake
    >>> is_fake(gb.ones(2))
    False
    """
    return False

"""What programs ask of tensors that PyTorch's compiler traces with: whether one is of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from garboard._contexts.blocks import block

__all__ = [
    "FakeTensor",
    "FakeTensorConverter",
    "FakeTensorMode",
    "is_fake",
    "unset_fake_temporarily",
]


class FakeTensor:
    """A kind of tensor that there is none of: nothing is traced. `device="meta"` has no elements.

    Raises:
        TypeError: One is asked for.

    >>> isinstance(gb.ones(2), gb._subclasses.FakeTensor)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise TypeError(
            f'{cls.__name__}: nothing is traced here; use gb.empty(sizes, device="meta")'
        )


class FakeTensorMode(FakeTensor):
    """The block that would make them: there is none.

    Raises:
        TypeError: One is asked for.
    """


class FakeTensorConverter(FakeTensor):
    """What would make them of tensors: there is none.

    Raises:
        TypeError: One is asked for.
    """


def is_fake(x: object) -> bool:
    """Return False: no tensor is one that a compiler traces with.

    >>> from garboard._subclasses.fake_tensor import is_fake
    >>> is_fake(gb.ones(2))
    False
    """
    return False


@block
def unset_fake_temporarily() -> Iterator[None]:
    """Make a block that leaves the mode of such tensors, which is never on.

    >>> from garboard._subclasses.fake_tensor import unset_fake_temporarily
    >>> with unset_fake_temporarily() as mode:
    ...     mode is None
    True
    """
    yield

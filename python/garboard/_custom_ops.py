"""Where programs look for ops of their own, by PyTorch's older path."""

from __future__ import annotations

from typing import NoReturn

from garboard.library import custom_op, impl, register_fake

__all__ = ["custom_op", "get_ctx", "impl", "impl_abstract"]

impl_abstract = register_fake


def get_ctx() -> NoReturn:
    """Refuse to tell of a function without values: none is called here.

    Raises:
        RuntimeError: Always.

    >>> from garboard import _custom_ops
    >>> try:
    ...     _custom_ops.get_ctx()
    ... except RuntimeError as error:
    ...     print(error)
    get_ctx: no function that tells shapes without values is running; ops compute values here
    """
    raise RuntimeError(
        "get_ctx: no function that tells shapes without values is running; ops compute values here"
    )

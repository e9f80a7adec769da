"""Switches of NNPACK, which is not used."""

from collections.abc import Iterator

from garboard._arguments import check
from garboard._contexts.blocks import block

__all__ = ["flags", "is_available", "set_flags"]


class _Heard:
    enabled = False


def is_available() -> bool:
    """Return False: NNPACK is not used.

    >>> gb.backends.nnpack.is_available()
    False
    """
    return False


def set_flags(_enabled: bool) -> tuple[bool]:
    """Note whether NNPACK may be used; it is not.

    Args:
        _enabled: Whether.

    Returns:
        What was noted before, in a tuple.

    Raises:
        TypeError: No bool.

    >>> gb.backends.nnpack.set_flags(False)
    (False,)
    """
    before = _Heard.enabled
    _Heard.enabled = check.flag("set_flags", "_enabled", _enabled)
    return (before,)


@block
def flags(enabled: bool = False) -> Iterator[None]:
    """Do nothing while it is open: NNPACK is not used, whatever the switch is.

    Args:
        enabled: Noted while the block is open.

    Returns:
        A context manager.

    Raises:
        TypeError: `enabled` is no bool.

    >>> with gb.backends.nnpack.flags(enabled=False):
    ...     gb.ones(1) + 1
    tensor([2.])
    """
    (before,) = set_flags(enabled)
    try:
        yield
    finally:
        set_flags(before)

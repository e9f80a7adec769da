"""Switches of oneDNN, which is not used."""

from collections.abc import Iterator

from garboard._contexts.blocks import block

__all__ = ["flags", "is_available"]


@block
def flags(
    enabled: bool = False,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """Do nothing while it is open: oneDNN is not used, whatever the switches are.

    Args:
        enabled: Ignored.
        deterministic: Likewise.
        allow_tf32: Likewise.
        fp32_precision: Likewise.

    Returns:
        A context manager.

    >>> with gb.backends.mkldnn.flags(enabled=False):
    ...     gb.ones(1) + 1
    tensor([2.])
    """
    yield


def is_available() -> bool:
    """Return False: oneDNN is not used.

    >>> gb.backends.mkldnn.is_available()
    False
    """
    return False

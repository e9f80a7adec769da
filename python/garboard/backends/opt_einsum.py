"""Switches of opt_einsum, which is not used: einsum contracts from the left."""

__all__ = ["enabled", "is_available", "strategy"]

enabled: bool = False
strategy: str | None = None


def is_available() -> bool:
    """Return False: opt_einsum is not used.

    >>> gb.backends.opt_einsum.is_available()
    False
    """
    return False

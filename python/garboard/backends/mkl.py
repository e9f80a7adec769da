"""Switches of MKL, which is not used."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Return False: MKL is not used.

    >>> gb.backends.mkl.is_available()
    False
    """
    return False

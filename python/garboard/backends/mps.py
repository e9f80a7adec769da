"""Apple's GPUs, which are not used."""

__all__ = ["is_available", "is_built"]


def is_available() -> bool:
    """Return False: Apple's GPUs are not used.

    >>> gb.backends.mps.is_available()
    False
    """
    return False


def is_built() -> bool:
    """Return False: Apple's GPUs are not used.

    >>> gb.backends.mps.is_built()
    False
    """
    return False

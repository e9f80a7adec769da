"""Switches of OpenMP, which is not used: threads are the engine's own."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Return False: OpenMP is not used.

    >>> gb.backends.openmp.is_available()
    False
    """
    return False

"""Switches of oneDNN, which is not used."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Return False: oneDNN is not used.

    >>> gb.backends.mkldnn.is_available()
    False
    """
    return False

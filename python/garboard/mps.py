"""Apple's GPUs, which are not used: a program that chooses its device asks here."""

from garboard._arguments import check

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed"]


def device_count() -> int:
    """Return 0: Apple's GPUs are not used.

    >>> gb.mps.device_count()
    0
    """
    return 0


def empty_cache() -> None:
    """Return at once: none of Apple's GPUs has a cache here; `gb.empty_cache` is the CPU's.

    >>> gb.mps.empty_cache()
    """


def is_available() -> bool:
    """Return False: Apple's GPUs are not used.

    >>> gb.mps.is_available()
    False
    """
    return False


def manual_seed(seed: int) -> None:
    """Take the seed of generators that are not there; `gb.manual_seed` restarts the one that is.

    Args:
        seed: An integer in [-2^63, 2^64).

    Raises:
        TypeError: `seed` is no integer.

    >>> gb.mps.manual_seed(0)
    """
    check.integer("manual_seed", "seed", seed)

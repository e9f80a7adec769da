"""What kinds of devices answer that are not used here: programs that choose a device ask them."""

from garboard._arguments import check

__all__ = [
    "device_count",
    "empty_cache",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
]


def is_available() -> bool:
    """Return False: devices of this kind are not used.

    >>> gb.xpu.is_available()
    False
    """
    return False


def is_initialized() -> bool:
    """Return False: devices of this kind are not used.

    >>> gb.xpu.is_initialized()
    False
    """
    return False


def is_bf16_supported() -> bool:
    """Return False: devices of this kind are not used.

    >>> gb.xpu.is_bf16_supported()
    False
    """
    return False


def device_count() -> int:
    """Return 0: devices of this kind are not used.

    >>> gb.mps.device_count()
    0
    """
    return 0


def empty_cache() -> None:
    """Return at once: there is no cache of this kind; `gb.empty_cache` is the CPU's.

    >>> gb.mps.empty_cache()
    """


def manual_seed(seed: int) -> None:
    """Take the seed of a generator that is not there; `gb.manual_seed` restarts the one that is.

    Args:
        seed: An integer in [-2^63, 2^64).

    Raises:
        TypeError: `seed` is no integer.

    >>> gb.mps.manual_seed(0)
    """
    check.integer("manual_seed", "seed", seed)


def manual_seed_all(seed: int) -> None:
    """Take the seed of generators that are not there; `gb.manual_seed` restarts the one that is.

    Args:
        seed: An integer in [-2^63, 2^64).

    Raises:
        TypeError: `seed` is no integer.

    >>> gb.xpu.manual_seed_all(0)
    """
    check.integer("manual_seed_all", "seed", seed)

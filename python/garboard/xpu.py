"""Intel's GPUs, which are not used: a program that chooses its device asks here."""

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


def device_count() -> int:
    """Return 0: Intel's GPUs are not used.

    >>> gb.xpu.device_count()
    0
    """
    return 0


def empty_cache() -> None:
    """Return at once: none of Intel's GPUs has a cache here; `gb.empty_cache` is the CPU's.

    >>> gb.xpu.empty_cache()
    """


def is_available() -> bool:
    """Return False: Intel's GPUs are not used.

    >>> gb.xpu.is_available()
    False
    """
    return False


def is_bf16_supported() -> bool:
    """Return False: Intel's GPUs are not used.

    >>> gb.xpu.is_bf16_supported()
    False
    """
    return False


def is_initialized() -> bool:
    """Return False: Intel's GPUs are not used.

    >>> gb.xpu.is_initialized()
    False
    """
    return False


def manual_seed(seed: int) -> None:
    """Take the seed of generators that are not there; `gb.manual_seed` restarts the one that is.

    Args:
        seed: An integer in [-2^63, 2^64).

    Raises:
        TypeError: `seed` is no integer.

    >>> gb.xpu.manual_seed(0)
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

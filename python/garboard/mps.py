"""Apple's GPUs, which are not used."""

from garboard._absent_devices import (
    device_count,
    empty_cache,
    is_available,
    manual_seed,
)

__all__ = [
    "device_count",
    "empty_cache",
    "is_available",
    "manual_seed",
]

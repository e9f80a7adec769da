"""Switches of cuDNN: convolutions here never need it, and results never depend on the run."""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "allow_tf32",
    "benchmark",
    "deterministic",
    "enabled",
    "flags",
    "is_available",
    "version",
]

allow_tf32: bool = False
benchmark: bool = False
deterministic: bool = True
enabled: bool = False


def is_available() -> bool:
    """Return False: cuDNN is not used.

    >>> gb.backends.cudnn.is_available()
    False
    """
    return False


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = True,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """Change nothing while it is open: cuDNN is not used.

    Args:
        enabled: Ignored.
        benchmark: Likewise.
        benchmark_limit: Likewise.
        deterministic: Likewise.
        allow_tf32: Likewise.
        fp32_precision: Likewise.

    Returns:
        A context manager.

    >>> with gb.backends.cudnn.flags(enabled=False):
    ...     print(gb.ones(2))
    tensor([1., 1.])
    """
    yield


def version() -> int | None:
    """Return None: cuDNN is not used.

    >>> print(gb.backends.cudnn.version())
    None
    """
    return None

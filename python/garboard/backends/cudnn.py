"""Switches of cuDNN: convolutions here never need it, and results never depend on the run."""

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available", "version"]

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


def version() -> int | None:
    """Return None: cuDNN is not used.

    >>> print(gb.backends.cudnn.version())
    None
    """
    return None

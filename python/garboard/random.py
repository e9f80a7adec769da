"""The default random generator: Philox4x32-10, the same numbers on every device."""

from garboard._engine import manual_seed

__all__ = ["manual_seed"]

"""The default random generator: Philox4x32-10, the same numbers on every device."""

from typing import TYPE_CHECKING

from garboard._engine import manual_seed
from garboard._missing import module_getattr

__all__ = ["manual_seed"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

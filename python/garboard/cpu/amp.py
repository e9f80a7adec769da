"""Mixed precision on the CPU, under its older names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._contexts import autocast as _autocast
from garboard.amp import grad_scaler

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = ["GradScaler", "autocast"]


class autocast(_autocast.autocast):
    """`gb.autocast("cpu")`.

    Args:
        enabled: False: as if there were no block.
        dtype: What ops convert to; bfloat16 by default.
        cache_enabled: Convert parameters once.

    Raises:
        TypeError: A setting of a wrong type, or what is decorated cannot be called.

    >>> with gb.cpu.amp.autocast():
    ...     (gb.ones(1, 1) @ gb.ones(1, 1)).dtype
    garboard.bfloat16
    """

    def __init__(
        self, enabled: bool = True, dtype: DType | None = None, cache_enabled: bool = True
    ) -> None:
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """`gb.amp.GradScaler("cpu")`.

    Args:
        init_scale: The scale at first.
        growth_factor: What it is multiplied by after `growth_interval` good steps.
        backoff_factor: What it is multiplied by after a bad one.
        growth_interval: How many good steps it takes.
        enabled: False does nothing.

    Raises:
        ValueError: A factor on the wrong side of 1.
        TypeError: A setting of a wrong type.

    >>> gb.cpu.amp.GradScaler(enabled=False).get_scale()
    1.0
    """

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)

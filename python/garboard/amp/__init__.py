"""Mixed precision: ops in fewer digits where that does no harm, and losses scaled to fit them."""

from typing import TYPE_CHECKING

from garboard._contexts.autocast import _cast as _cast
from garboard._contexts.autocast import (
    autocast,
    clear_autocast_cache,
    custom_bwd,
    custom_fwd,
    get_autocast_dtype,
    is_autocast_available,
    is_autocast_enabled,
)
from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.amp.grad_scaler import GradScaler

__all__ = [
    "GradScaler",
    "autocast",
    "clear_autocast_cache",
    "custom_bwd",
    "custom_fwd",
    "get_autocast_dtype",
    "is_autocast_available",
    "is_autocast_enabled",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

publish_paths(__name__)

"""`_C` and `__config__`: modules that come when they are named, and are not listed."""

from __future__ import annotations

import garboard.__config__ as __config__
import garboard._C as _C

__all__ = ["_C", "__config__"]

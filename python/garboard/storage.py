"""Where PyTorch's programs look for the type of storages: there is one."""

from __future__ import annotations

from garboard._engine import Storage

__all__ = ["Storage", "TypedStorage", "UntypedStorage"]

TypedStorage = Storage
UntypedStorage = Storage

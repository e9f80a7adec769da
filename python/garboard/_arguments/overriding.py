"""What type checkers are told of methods that users write anew, with parameters of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["overridable"]


def overridable(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return `method`, of which checkers now know that an override may take any arguments."""
    return method

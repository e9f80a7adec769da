"""How the library was built."""

from __future__ import annotations

from garboard._info import facts

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Say what `garboard info` says of the build and the machine."""
    return "".join(f"{name}: {fact}\n" for name, fact in facts().items())


parallel_info = show

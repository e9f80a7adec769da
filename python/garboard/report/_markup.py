"""Text in a page: a snapshot's names may be any, from another machine perhaps."""

from __future__ import annotations

import html

from garboard._arguments.texts import printable

__all__ = ["escape"]


def escape(text: str) -> str:
    """Return a text that shows as it is, and that a file of UTF-8 takes."""
    return html.escape(printable(text))

"""How what callers give is written into messages, reprs and reports.

An object of theirs may raise when it is asked for its text, may hold itself, and may have a text
that no file can have: half of a surrogate pair, or a control character.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["printable", "settings", "shown", "told"]

_LONGEST = 200
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: Any) -> str:
    """Return a str as every file, terminal and XML document takes it: the rest is escaped."""
    exact = str.__str__(text)  # a subclass may say something else
    if exact.isascii() and exact.isprintable():  # as nearly all names and files are
        return exact
    return _UNWRITABLE.sub(lambda found: repr(found[0])[1:-1], exact)


def shown(given: object) -> str:
    """Return how an error names what it was given: its value where that is a number or a word.

    Of all else the type is named. To print it would run code that is not ours, may take longer
    than the stack is deep, and would show what tensors hold.
    """
    if type(given) is str or type(given) is bytes:
        return repr(given[:80])
    if given is None or type(given) is bool or type(given) is float:
        return repr(given)
    if type(given) is int:
        return repr(given) if abs(given) < 1 << 64 else "beyond 64 bits"
    return f"of type {type(given).__name__}"


def told(setting: object) -> str:
    """Return how the repr of what holds a setting tells it: by its `format`, unless that fails."""
    try:
        text = printable(format(setting))
    except Exception as error:
        return f"<{type(setting).__name__}, whose str raises {type(error).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def settings(**named: object) -> str:
    """Return what a layer's repr says of its settings: `p=0.5, inplace=True`."""
    texts = {name: shown(it) if type(it) is str else told(it) for name, it in named.items()}
    return ", ".join(f"{name}={text}" for name, text in texts.items())
